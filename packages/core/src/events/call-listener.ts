/** Receives the error that a listener threw or that its promise rejected with. */
export type ListenerErrorHandler = (error: unknown) => void;

/**
 * Calls a listener if one exists. Its errors, including rejections of its promise, go to `onError` and never reach the
 * caller.
 */
export function callListener<Value>(
  listener: ((value: Value) => unknown) | undefined,
  value: Value,
  onError: ListenerErrorHandler = reportListenerError,
): void {
  try {
    const result = listener?.(value);
    if (typeof result === "object") void Promise.resolve(result).catch(onError);
  } catch (error) {
    onError(error);
  }
}

/**
 * Reports an error by default: with the platform's `reportError`, or with `console.error` if there
 * is none, as in Node.
 */
function reportListenerError(error: unknown): void {
  const platform: typeof globalThis & { reportError?: ListenerErrorHandler | undefined } =
    globalThis;
  if (platform.reportError !== undefined) platform.reportError(error);
  else console.error("An event listener failed:", error);
}
