import { cursorOffset } from "@ccl/core/paging";
import type { Issue } from "@ccl/core";
import { deepFreeze, isRecord } from "@ccl/core/json";
import { createMemoryRecords, type Records, RecordsError } from "@ccl/records";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { requireObject } from "../fit/require-that.ts";
import { isSessionEvent } from "../event/check-event-data.ts";
import type { SessionEvent } from "../event/session-event.ts";
import type { SessionStore } from "./session-store.ts";
import { requireSessionId, requireStateKey } from "./store-input.ts";

const logs = "session/";
const logOf = (sessionId: string): string => `${logs}${sessionId}`;
const stateOf = (sessionId: string): string => `session-state/${sessionId}`;

/** Creates a store that keeps sessions in memory until the process ends. */
export function createMemorySessionStore(): SessionStore {
  return createSessionStore(createMemoryRecords());
}

/**
 * Creates a store that keeps sessions in records, such as those of `openRecords` in @ccl/records. The caller closes
 * them.
 */
export function createSessionStore(records: Records): SessionStore {
  requireObject("records", records, "readLog", "write");
  return {
    async append(sessionId, events, { expectedVersion, signal }) {
      requireSessionId(sessionId);
      const change = { append: logOf(sessionId), entries: events, expectedVersion };
      const [outcome] = await records.write([change], { signal });
      return outcome?.after ?? 0;
    },
    async read(sessionId, { cursor, limit, signal } = {}) {
      requireSessionId(sessionId);
      const from = cursorOffset(cursor, ContextCompilerError);
      const page = await records.readLog(logOf(sessionId), { from, limit, signal });
      const events = page.entries.map((entry, at) => eventOf(entry, sessionId, from + at));
      const next = from + events.length;
      return next < page.version ? { events, cursor: String(next) } : { events };
    },
    async listSessions(options = {}) {
      const { cursor, limit, signal } = options;
      const after = cursor === undefined ? undefined : logOf(cursor);
      const page = await records.listLogs({ prefix: logs, cursor: after, limit, signal });
      const sessionIds = page.logs.map(({ name }) => name.slice(logs.length));
      return page.cursor === undefined
        ? { sessionIds }
        : { sessionIds, cursor: page.cursor.slice(logs.length) };
    },
    async deleteSession(sessionId, options = {}) {
      requireSessionId(sessionId);
      const changes = [{ removeLog: logOf(sessionId) }, { remove: stateOf(sessionId) }];
      const [log] = await records.write(changes, options);
      return log !== undefined && log.before > 0;
    },
    async saveState(sessionId, { key, json }, options = {}) {
      requireSessionId(sessionId);
      requireStateKey(key);
      const put = stateOf(sessionId);
      for (;;) {
        const stored = await records.get(put, options);
        const value = { ...(isRecord(stored?.value) ? stored.value : {}), [key]: json };
        const change = { put, value, expectedVersion: stored?.version ?? 0 };
        try {
          await records.write([change], options);
          return;
        } catch (error) {
          // Another key of the same session was saved in the meantime.
          if (!RecordsError.isInstance(error) || error.code !== "conflict") throw error;
        }
      }
    },
    async loadState(sessionId, key, options = {}) {
      requireSessionId(sessionId);
      requireStateKey(key);
      const state = (await records.get(stateOf(sessionId), options))?.value;
      const json = isRecord(state) && Object.hasOwn(state, key) ? state[key] : undefined;
      return typeof json === "string" ? json : undefined;
    },
  };
}

function eventOf(entry: unknown, sessionId: string, position: number): SessionEvent {
  const issues: Issue[] = [];
  if (isSessionEvent(entry, issues)) return deepFreeze(entry);
  const problem = `Entry ${position} of session "${sessionId}" is not a session event.`;
  throw new ContextCompilerError("invalid_event", problem, { details: { issues } });
}
