import { createUuidV7Generator, systemClock } from "@ccl/core";
import { createMemorySessionStore } from "../session-store/create-session-store.ts";
import { beginSession } from "./recording-session.ts";
import { requireSessionOptions } from "./require-session-options.ts";
import type { Session, SessionOptions } from "./session.ts";

/**
 * Creates an in-memory session, which is lost when the process ends.
 * @throws ContextCompilerError `invalid_options`
 */
export function createSession(options: SessionOptions = {}): Session {
  requireSessionOptions(options);
  const { clock = systemClock } = options;
  const sessionId = options.sessionId ?? createUuidV7Generator({ clock }).next();
  return beginSession({ ...options, sessionId, store: createMemorySessionStore(), events: [] });
}
