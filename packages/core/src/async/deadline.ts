import { onAbort } from "./abort.ts";

/** Time limit and signal of a call. */
export interface TimeoutOptions {
  /** No limit by default. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Creates the error that the call rejects with when its time is up. */
  onTimeout: () => Error;
}

/** The deadline of a call, which combines its time limit and the caller's signal. */
export interface Deadline {
  /** Aborts with the first reason that ended the call. The call's work should observe it. */
  readonly signal: AbortSignal;
  /** Returns the remaining milliseconds. `Infinity` without a limit. */
  remainingMs(): number;
  /**
   * Ends the call. Removes the timer and the listener, and aborts the signal so that nothing stays
   * open.
   */
  close(): void;
}

// Some platforms fire longer timers immediately.
const maxTimerMs = 2_147_483_647;

/**
 * Starts the time limit of a call. Until `close`, the timer and the caller's signal hold a
 * reference to it.
 */
export function createDeadline({ timeoutMs, signal, onTimeout }: TimeoutOptions): Deadline {
  const controller = new AbortController();
  const startMs = Date.now();
  const timer =
    timeoutMs === undefined || timeoutMs > maxTimerMs
      ? undefined
      : setTimeout(() => controller.abort(onTimeout()), timeoutMs);
  const forget = signal && onAbort(signal, () => controller.abort(signal.reason));
  if (signal?.aborted === true) controller.abort(signal.reason);
  return {
    signal: controller.signal,
    remainingMs: () => (timeoutMs ?? Infinity) - (Date.now() - startMs),
    close() {
      clearTimeout(timer);
      forget?.();
      controller.abort();
    },
  };
}
