import { onAbort } from "./abort.ts";

/** What bounds a call. */
export interface TimeoutOptions {
  /** No limit by default. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** What the call rejects with when the time is up. */
  onTimeout: () => Error;
}

// Some platforms fire a longer timer at once.
const maxTimerMs = 2_147_483_647;

/**
 * Runs work that may ignore its signal: rejects when the time is up or the caller aborts, whatever the work does. Its
 * signal is aborted with the same reason, also when the call ends otherwise, so that nothing stays open. A late result
 * or failure is dropped.
 */
export async function withTimeout<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  { timeoutMs, signal, onTimeout }: TimeoutOptions,
): Promise<Value> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const cleanUps: (() => void)[] = [];
  try {
    return await new Promise<Value>((resolve, reject) => {
      const stop = (reason: unknown): void => {
        reject(reason);
        controller.abort(reason);
      };
      if (signal !== undefined) cleanUps.push(onAbort(signal, () => stop(signal.reason)));
      if (timeoutMs !== undefined && timeoutMs <= maxTimerMs) {
        const timer = setTimeout(() => stop(onTimeout()), timeoutMs);
        cleanUps.push(() => clearTimeout(timer));
      }
      work(controller.signal).then(resolve, reject);
    });
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
    controller.abort();
  }
}
