import type { SessionEvent } from "../event/session-event.ts";

/** How events are added. */
export interface AppendOptions {
  /** The number of events that the writer expects in the session. 0 starts one. */
  expectedVersion: number;
  signal?: AbortSignal | undefined;
}

/** Which events a page holds. */
export interface ReadOptions {
  /** From the previous page. */
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
  /** Like a session id: 1 to 200 characters, none of them a control character. */
  key: string;
  /** Undefined removes the entry. */
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
 * `RecordsError`, or with a `ContextCompilerError` `invalid_options` for an invalid id.
 */
export interface SessionStore {
  /**
   * Appends all events or none, and returns the new number of events. An empty list creates
   * nothing.
   * @throws RecordsError `conflict` if the session has another number of events than expected
   */
  append(
    sessionId: string,
    events: readonly SessionEvent[],
    options: AppendOptions,
  ): Promise<number>;
  /** Returns an empty page if there is no such session. */
  read(sessionId: string, options?: ReadOptions): Promise<EventPage>;
  listSessions(options?: ListSessionsOptions): Promise<SessionPage>;
  /** Removes the log and the state. True if there was a log. */
  deleteSession(
    sessionId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<boolean>;
  /** Stores a text under a key of a session, even if it has no events. The last write wins. */
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
