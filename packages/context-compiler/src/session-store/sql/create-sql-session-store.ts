import { cursorOffset, pageLimit } from "@ccl/core/paging";
import { throwIfAborted } from "@ccl/core/async";
import { SqlError, type SqlSteps, storeErrorOf } from "@ccl/sql";
import { ContextCompilerError } from "../../context-compiler-error.ts";
import type { SessionStore } from "../session-store.ts";
import {
  conflictError,
  eventPageSizes,
  requireSessionId,
  requireStateKey,
  requireExpectedVersion,
  sessionPageSizes,
} from "../store-input.ts";
import {
  appendEvents,
  deleteLog,
  listSessionIds,
  readEvents,
  readState,
  writeState,
} from "./session-steps.ts";

/** Runs the steps of a call in one transaction. */
export type RunSteps = <Value>(
  steps: () => SqlSteps<Value>,
  options: { mode: "read" | "write"; signal?: AbortSignal | undefined },
) => Promise<Value>;

/** A store over tables that are there. */
export function createSqlSessionStore(runSteps: RunSteps): SessionStore {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  const call = async <Value>(
    steps: () => SqlSteps<Value>,
    mode: "read" | "write",
    signal: AbortSignal | undefined,
  ): Promise<Value> => {
    const done = runSteps(steps, { mode, signal });
    const settled = done.catch(() => undefined).finally(() => underWay.delete(settled));
    underWay.add(settled);
    try {
      return await done;
    } catch (error) {
      throw storeErrorOf(error, "The session store", ContextCompilerError);
    }
  };
  const begin = (sessionId: string | undefined, signal: AbortSignal | undefined): void => {
    throwIfAborted(signal, ContextCompilerError);
    if (isClosed) throw new ContextCompilerError("closed", "The session store is closed.");
    if (sessionId !== undefined) requireSessionId(sessionId);
  };
  return {
    async append(sessionId, events, options) {
      const { expectedVersion, signal } = options;
      begin(sessionId, signal);
      requireExpectedVersion(options);
      const own = [...events];
      try {
        return await call(() => appendEvents(sessionId, own, expectedVersion), "write", signal);
      } catch (error) {
        // Two writers of one version at the same place: the database let one through.
        const { cause } = error instanceof Error ? error : { cause: undefined };
        if (SqlError.isInstance(cause) && cause.code === "constraint")
          throw conflictError(sessionId, expectedVersion);
        throw error;
      }
    },
    async read(sessionId, { cursor, limit, signal } = {}) {
      begin(sessionId, signal);
      const from = cursorOffset(cursor, ContextCompilerError);
      const size = pageLimit(limit, eventPageSizes, ContextCompilerError);
      return call(() => readEvents(sessionId, from, size), "read", signal);
    },
    async listSessions({ cursor = "", limit, signal } = {}) {
      begin(undefined, signal);
      const size = pageLimit(limit, sessionPageSizes, ContextCompilerError);
      return call(() => listSessionIds(cursor, size), "read", signal);
    },
    async deleteSession(sessionId, { signal } = {}) {
      begin(sessionId, signal);
      return call(() => deleteLog(sessionId), "write", signal);
    },
    async saveState(sessionId, { key, json }, { signal } = {}) {
      begin(sessionId, signal);
      requireStateKey(key);
      return call(() => writeState(sessionId, key, json), "write", signal);
    },
    async loadState(sessionId, key, { signal } = {}) {
      begin(sessionId, signal);
      requireStateKey(key);
      return call(() => readState(sessionId, key), "read", signal);
    },
    async close() {
      isClosed = true;
      await Promise.all(underWay);
    },
  };
}
