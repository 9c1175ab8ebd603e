import { throwIfAborted, untilAborted } from "@ccl/core/async";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { Session } from "../session/session.ts";

const lastTurns = new WeakMap<Session, Promise<unknown>>();

/**
 * Runs what writes to a session's log on behalf of a compile after all that asked before, so that two compiles at once
 * write it once. A caller that is aborted stops waiting.
 */
export function inTurn<Value>(
  session: Session,
  action: () => Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  const before = lastTurns.get(session) ?? Promise.resolve();
  const own = before.then(() => {
    throwIfAborted(signal, ContextCompilerError);
    return untilAborted(action(), signal, ContextCompilerError);
  });
  lastTurns.set(
    session,
    own.catch(() => undefined),
  );
  return untilAborted(own, signal, ContextCompilerError);
}
