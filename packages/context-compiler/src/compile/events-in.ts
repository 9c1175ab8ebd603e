import { TurnQueue, untilAborted } from "@ccl/core/async";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { SessionEvent } from "../event/session-event.ts";
import { sessionMemory } from "../session/session-memory.ts";
import type { Session } from "../session/session.ts";

const writesOf = sessionMemory(() => new TurnQueue(ContextCompilerError));

/**
 * Queues a compile's writes to a session's log, so that two concurrent compiles write the same
 * event only once. An aborted caller stops waiting.
 */
export function inTurn<Value>(
  session: Session,
  action: () => Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  const run = (): Promise<Value> => untilAborted(action(), signal, ContextCompilerError);
  return writesOf(session).run(run, signal);
}

/** Returns a function that finds the events of a log by id. */
export function eventsIn({ eventLog }: Session): (ids: readonly string[]) => SessionEvent[] {
  const events = new Map(Array.from(eventLog, (event) => [event.eventId, event]));
  return (ids) => ids.flatMap((id) => events.get(id) ?? []);
}

/** True for an event that stored a payload in the artifact store. */
export function isStored(event: SessionEvent): event is SessionEvent<"artifact_stored"> {
  return event.kind === "artifact_stored";
}
