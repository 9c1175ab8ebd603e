/** An error class whose codes include `aborted`. */
export type AbortErrorClass = new (
  code: "aborted",
  message: string,
  options: { cause: unknown },
) => Error;

/** Creates the package's `aborted` error, with the signal's reason as its cause. */
function abortedError(signal: AbortSignal, ErrorClass: AbortErrorClass): Error {
  return new ErrorClass("aborted", "The call was aborted.", { cause: signal.reason });
}

/** Throws the package's `aborted` error if the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined, ErrorClass: AbortErrorClass): void {
  if (signal?.aborted === true) throw abortedError(signal, ErrorClass);
}

interface Watch {
  callbacks: Set<() => void>;
  listener: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Calls back when the signal aborts, unless the returned function was called before. All callbacks
 * of a signal share one listener, because Node warns about a leak from the eleventh listener on and
 * keeps some signals alive while they have one.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = watches.get(signal) ?? watch(signal);
  // A new function for each call, so that the same callback can be registered twice.
  const entry = (): void => callback();
  if (callbacks.size === 0) signal.addEventListener("abort", listener, { once: true });
  callbacks.add(entry);
  return () => {
    if (callbacks.delete(entry) && callbacks.size === 0)
      signal.removeEventListener("abort", listener);
  };
}

function watch(signal: AbortSignal): Watch {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    const waiting = [...callbacks];
    callbacks.clear();
    for (const callback of waiting) callback();
  };
  const created = { callbacks, listener };
  watches.set(signal, created);
  return created;
}

/**
 * Settles like the promise, or rejects as soon as the signal aborts. It rejects with the package's
 * `aborted` error, or with the signal's reason if no class is given. The work itself continues, and
 * its late result or failure is ignored.
 */
export function untilAborted<Value>(
  promise: PromiseLike<Value> | Value,
  signal: AbortSignal | undefined,
  ErrorClass?: AbortErrorClass,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      if (signal === undefined) return;
      reject(ErrorClass === undefined ? signal.reason : abortedError(signal, ErrorClass));
    };
    const forget = signal === undefined ? undefined : onAbort(signal, stop);
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => forget?.());
    if (signal?.aborted === true) stop();
  });
}
