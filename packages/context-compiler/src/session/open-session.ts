import { createUuidV7Generator, systemClock } from "@ccl/core";
import { untilAborted } from "@ccl/core/async";
import { requireObject } from "../fit/require-that.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { beginSession } from "./recording-session.ts";
import { requireSessionOptions } from "./require-session-options.ts";
import type { SessionEvent } from "./session-event.ts";
import type { Session, SessionOptions } from "./session.ts";

/** Which session is opened, and how it goes on. */
export interface OpenSessionOptions extends SessionOptions {
  store: SessionStore;
  signal?: AbortSignal | undefined;
}

/**
 * The session of that id as the store has it, or a new one where it has none. Another writer that goes on with the same
 * session makes the next `record` fail with `conflict`.
 * @throws ContextCompilerError `invalid_options` or `aborted`, or the `RecordsError` of the store, such as `damaged`
 */
export async function openSession(options: OpenSessionOptions): Promise<Session> {
  requireSessionOptions(options);
  const { store, clock = systemClock, signal } = options;
  requireObject("store", store, "read", "append", "loadState", "saveState");
  const sessionId = options.sessionId ?? createUuidV7Generator({ clock }).next();
  const events: SessionEvent[] = [];
  let cursor: string | undefined;
  do {
    const next = {
      cursor,
      signal,
    };
    const page = await untilAborted(store.read(sessionId, next), signal, ContextCompilerError);
    for (const event of page.events) events.push(event);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return beginSession({
    ...options,
    sessionId,
    events,
  });
}
