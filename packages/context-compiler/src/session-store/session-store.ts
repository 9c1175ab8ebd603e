import type { SessionEvent } from "../session/session-event.ts";

/** How events are added. */
export interface AppendOptions {
  /** How many events the writer takes the session to have; 0 begins one. */
  expectedVersion: number;
  signal?: AbortSignal | undefined;
}

/** Which events a page holds. */
export interface ReadOptions {
  /** From the page before. */
  cursor?: string | undefined;
  /** 1,000 by default, at most 10,000. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** A page of a session's events, oldest first. */
export interface EventPage {
  events: SessionEvent[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** Which sessions a page holds. */
export interface ListSessionsOptions {
  cursor?: string | undefined;
  /** 100 by default, at most 1,000. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** A text under a key, such as a compiler's frozen cut as JSON. */
export interface StateEntry {
  /** As a session id: 1 to 200 characters, none of them a control character. */
  key: string;
  /** Undefined removes it. */
  json: string | undefined;
}

/** A page of session ids, in the order of their code units. */
export interface SessionPage {
  sessionIds: string[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/**
 * Where the logs of sessions are kept, and the state that compilers keep beside them. Promises reject with a
 * `RecordsError`, or with a `ContextCompilerError` `invalid_options` for an id that can't be one.
 */
export interface SessionStore {
  /**
   * Adds events at the end, all or none, and gives the new number of events. No events create nothing.
   * @throws RecordsError `conflict` when the session has another number of events than expected
   */
  append(
    sessionId: string,
    events: readonly SessionEvent[],
    options: AppendOptions,
  ): Promise<number>;
  /** Empty for a session that is not there. */
  read(sessionId: string, options?: ReadOptions): Promise<EventPage>;
  listSessions(options?: ListSessionsOptions): Promise<SessionPage>;
  /** Removes the log and the state; true if there was a log. */
  deleteSession(
    sessionId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<boolean>;
  /** Keeps a text under a key of a session, whether it has events or not. The last write wins. */
  saveState(
    sessionId: string,
    state: StateEntry,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<void>;
  loadState(
    sessionId: string,
    key: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<string | undefined>;
}
