import { withTimeout } from "@ccl/core/async";

/** The outcome of a call with a time limit. */
type TimedOutcome<T> =
  | { state: "done"; value: T }
  | { state: "failed"; error: unknown }
  | { state: "timed_out" };

/**
 * Runs an action with a time limit. On timeout, or if the outer signal aborts, aborts the action's signal and
 * stops waiting. Timers never outlive the call. Rejects only if the outer signal aborts, with its reason.
 */
export async function runWithin<T>(
  action: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<TimedOutcome<T>> {
  const late = new Error();
  try {
    const value = await withTimeout(action, { timeoutMs, signal, onTimeout: () => late });
    return { state: "done", value };
  } catch (error) {
    signal.throwIfAborted();
    return error === late ? { state: "timed_out" } : { state: "failed", error };
  }
}
