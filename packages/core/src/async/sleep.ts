import { onAbort } from "./abort.ts";

/** Resolves after `durationMs`. An abort clears the timer and rejects with the signal's reason. */
export function sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const timer = setTimeout(() => {
      forget?.();
      resolve();
    }, durationMs);
    const forget =
      signal &&
      onAbort(signal, () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
  });
}
