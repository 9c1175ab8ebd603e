import { deepFreeze } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { beginSession } from "./recording-session.ts";
import { requireSessionOptions } from "./require-session-options.ts";
import type { SessionEvent } from "../event/session-event.ts";
import type { Session, SessionOptions } from "./session.ts";
import { createMemorySessionStore } from "../session-store/create-session-store.ts";
import type { EvidencePack } from "../evidence/evidence-pack.ts";
import { verifyEvidencePack } from "../evidence/verify-evidence-pack.ts";

/** Session options, and the events that the pack proves, if available. */
interface SessionFromEvidenceOptions extends Omit<SessionOptions, "sessionId"> {
  events?: readonly SessionEvent[] | undefined;
}

/**
 * Creates an in-memory session that continues from a pack. Its `toEvidencePack` starts with the
 * same entries. A pack proves events without containing them, so the log is empty unless events are
 * passed. Each event must match its entry.
 * @throws ContextCompilerError `evidence_invalid` with all issues, `invalid_options`
 */
export async function sessionFromEvidencePack(
  pack: EvidencePack,
  options: SessionFromEvidenceOptions = {},
): Promise<Session> {
  requireSessionOptions(options);
  const { events, ...sessionOptions } = options;
  const verified = verifyEvidencePack(pack, events);
  if (!verified.ok) {
    const text = `The evidence pack is not valid: ${verified.issues[0]?.message ?? ""}`;
    throw new ContextCompilerError("evidence_invalid", text, {
      details: { issues: verified.issues },
    });
  }
  const { sessionId, entries } = verified.value;
  const store = createMemorySessionStore();
  if (events === undefined) {
    const evidence = structuredClone(entries);
    return beginSession({ ...sessionOptions, sessionId, store, events: [], evidence });
  }
  const copies = events.map((event) => deepFreeze(structuredClone(event)));
  await store.append(sessionId, copies, { expectedVersion: 0 });
  return beginSession({ ...sessionOptions, sessionId, store, events: copies });
}
