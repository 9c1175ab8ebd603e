import { withTimeout } from "@ccl/core/async";

/** How a call ended. */
type TimedOutcome<T> =
  | { state: "done"; value: T }
  | { state: "failed"; error: unknown }
  | { state: "timed_out" };

/**
 * Runs an action that is told to stop, and no longer waited for, when its time is up or the outer signal is aborted. A
 * timer never outlives the call. Rejects only when the outer signal is aborted, with its reason.
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
