import type { SessionEvent } from "../event/session-event.ts";

/** Options for appending events. */
export interface AppendOptions {
  /** Number of events that the writer expects in the session. 0 starts a session. */
  expectedVersion: number;
  signal?: AbortSignal | undefined;
}

/** Selects the events of a page. */
export interface ReadOptions {
  /** Cursor from the previous page. */
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

/** Selects the sessions of a page. */
export interface ListSessionsOptions {
  cursor?: string | undefined;
  /** 100 by default, at most 1,000. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Text stored under a key, such as a compiler's frozen cut as JSON. */
export interface StateEntry {
  /** Like a session id, 1 to 200 characters without control characters. */
  key: string;
  /** The text to store. Undefined removes the entry. */
  json: string | undefined;
}

/** A page of session ids, sorted by code units. */
export interface SessionPage {
  sessionIds: string[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/**
 * Stores session logs, and the state that compilers keep with them. Promises reject with a
 * `RecordsError`, or with a `ContextCompilerError` `invalid_options` if an id is invalid.
 */
export interface SessionStore {
  /**
   * Appends all events or none. Returns the new number of events. An empty list creates nothing.
   * @throws RecordsError `conflict` if the session does not have the expected number of events
   */
  append(
    sessionId: string,
    events: readonly SessionEvent[],
    options: AppendOptions,
  ): Promise<number>;
  /** Returns an empty page if the session does not exist. */
  read(sessionId: string, options?: ReadOptions): Promise<EventPage>;
  listSessions(options?: ListSessionsOptions): Promise<SessionPage>;
  /** Removes the log and the state. Returns true if there was a log. */
  deleteSession(
    sessionId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<boolean>;
  /** Stores text under a key of a session, even if it has no events. The last write wins. */
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
