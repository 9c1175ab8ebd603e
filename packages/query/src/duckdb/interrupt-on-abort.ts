/** How often a connection that is to stop is told so. */
const repeatMs = 20;

/** Ends what a connection does once the signal is aborted; gives what takes that back, which must be called. */
export function interruptOnAbort(
  connection: { interrupt(): void },
  signal: AbortSignal | undefined,
): () => void {
  let repeat: ReturnType<typeof setInterval> | undefined;
  // Again and again: an interrupt that comes before the query has begun is lost.
  const interrupt = (): void => {
    connection.interrupt();
    repeat = setInterval(() => connection.interrupt(), repeatMs);
  };
  // It may have been aborted while the connection was made.
  if (signal?.aborted === true) interrupt();
  else signal?.addEventListener("abort", interrupt, { once: true });
  return () => {
    clearInterval(repeat);
    signal?.removeEventListener("abort", interrupt);
  };
}
