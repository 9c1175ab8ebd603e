import { createUuidV7Generator, systemClock } from "@ccl/core";
import { requireObject } from "../fit/require-that.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { beginSession, readEvents } from "./recording-session.ts";
import { requireSessionOptions } from "./require-session-options.ts";
import type { Session, SessionOptions } from "./session.ts";

/** Options of `openSession`. */
interface OpenSessionOptions extends SessionOptions {
  store: SessionStore;
  signal?: AbortSignal | undefined;
}

/**
 * Opens the session with that id from the store, or creates a new one. If another writer records in
 * the same session, the next `record` fails with `conflict`. `refresh` then reads what that writer
 * recorded.
 * @throws ContextCompilerError `invalid_options` or `aborted`, or the store's `RecordsError`, such
 * as `damaged`
 */
export async function openSession(options: OpenSessionOptions): Promise<Session> {
  requireSessionOptions(options);
  const { store, clock = systemClock, signal } = options;
  requireObject("store", store, "read", "append", "loadState", "saveState");
  const sessionId = options.sessionId ?? createUuidV7Generator({ clock }).next();
  const events = await readEvents(store, sessionId, signal);
  return beginSession({ ...options, sessionId, events });
}
