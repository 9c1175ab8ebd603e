import { ContextCompilerError } from "../context-compiler-error.ts";

/** The promise, or a rejection with `aborted` as soon as the signal says so. */
export function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortedError(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    // A store or a memory of somebody else may answer at once.
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** @throws ContextCompilerError `aborted` */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedError(signal);
}

function abortedError(signal: AbortSignal): ContextCompilerError {
  return new ContextCompilerError("aborted", "The call was aborted.", { cause: signal.reason });
}
