import { cursorOffset, pageLimit } from "@ccl/core/paging";
import { throwIfAborted } from "@ccl/core/async";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { SessionEvent } from "../session/session-event.ts";
import type { SessionStore } from "./session-store.ts";
import {
  conflictError,
  eventPageSizes,
  requireSessionId,
  requireStateKey,
  requireExpectedVersion,
  sessionPageSizes,
} from "./store-input.ts";

/** Sessions for as long as the process lives. */
export function createMemorySessionStore(): SessionStore {
  const logs = new Map<string, SessionEvent[]>();
  const states = new Map<string, Map<string, string>>();
  let isClosed = false;
  const begin = (sessionId: string | undefined, signal: AbortSignal | undefined): void => {
    throwIfAborted(signal, ContextCompilerError);
    if (isClosed) throw new ContextCompilerError("closed", "The session store is closed.");
    if (sessionId !== undefined) requireSessionId(sessionId);
  };
  return {
    async append(sessionId, events, options) {
      begin(sessionId, options.signal);
      requireExpectedVersion(options);
      const log = logs.get(sessionId) ?? [];
      if (log.length !== options.expectedVersion)
        throw conflictError(sessionId, options.expectedVersion, log.length);
      if (events.length > 0) logs.set(sessionId, log);
      for (const event of events) log.push(event);
      return log.length;
    },
    async read(sessionId, { cursor, limit, signal } = {}) {
      begin(sessionId, signal);
      const start = cursorOffset(cursor, ContextCompilerError);
      const end = start + pageLimit(limit, eventPageSizes, ContextCompilerError);
      const log = logs.get(sessionId) ?? [];
      const events = log.slice(start, end);
      return end < log.length ? { events, cursor: String(end) } : { events };
    },
    async listSessions({ cursor, limit, signal } = {}) {
      begin(undefined, signal);
      const size = pageLimit(limit, sessionPageSizes, ContextCompilerError);
      const later = [...logs.keys()]
        .sort()
        .filter((sessionId) => cursor === undefined || sessionId > cursor);
      const sessionIds = later.slice(0, size);
      const last = sessionIds.at(-1);
      return later.length > size && last !== undefined
        ? { sessionIds, cursor: last }
        : { sessionIds };
    },
    async deleteSession(sessionId, { signal } = {}) {
      begin(sessionId, signal);
      states.delete(sessionId);
      return logs.delete(sessionId);
    },
    async saveState(sessionId, { key, json }, { signal } = {}) {
      begin(sessionId, signal);
      requireStateKey(key);
      const state = states.get(sessionId) ?? new Map<string, string>();
      states.set(sessionId, state);
      if (json === undefined) state.delete(key);
      else state.set(key, json);
    },
    async loadState(sessionId, key, { signal } = {}) {
      begin(sessionId, signal);
      requireStateKey(key);
      return states.get(sessionId)?.get(key);
    },
    async close() {
      isClosed = true;
    },
  };
}
