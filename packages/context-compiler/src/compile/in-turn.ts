import { TurnQueue, untilAborted } from "@ccl/core/async";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { Session } from "../session/session.ts";

const queues = new WeakMap<Session, TurnQueue>();

/**
 * Queues writes of compiles to a session's log, so that two compiles at once write the same thing only once. A caller
 * that is aborted stops waiting.
 */
export function inTurn<Value>(
  session: Session,
  action: () => Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  const queue = queues.get(session) ?? new TurnQueue(ContextCompilerError);
  queues.set(session, queue);
  return queue.run(() => untilAborted(action(), signal, ContextCompilerError), signal);
}
