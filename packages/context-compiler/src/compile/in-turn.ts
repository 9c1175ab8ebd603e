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
    throwIfAborted(signal);
    return untilAborted(action(), signal);
  });
  lastTurns.set(
    session,
    own.catch(() => undefined),
  );
  return untilAborted(own, signal);
}

/** The promise, or a rejection with `aborted` as soon as the signal says so. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortedError(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** @throws ContextCompilerError `aborted` */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedError(signal);
}

function abortedError(signal: AbortSignal): ContextCompilerError {
  return new ContextCompilerError("aborted", "The compile was cancelled.", { cause: signal.reason });
}
