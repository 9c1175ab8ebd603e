/** Interval between the interrupts of a connection that must stop. */
const repeatMs = 20;

/** Interrupts a connection once the signal aborts. Returns a function that removes the listener and must be called. */
export function interruptOnAbort(
  connection: { interrupt(): void },
  signal: AbortSignal | undefined,
): () => void {
  let repeat: ReturnType<typeof setInterval> | undefined;
  // Repeated, because an interrupt before the query begins is lost.
  const interrupt = (): void => {
    connection.interrupt();
    repeat = setInterval(() => connection.interrupt(), repeatMs);
  };
  // The signal may have aborted while the connection opened.
  if (signal?.aborted === true) interrupt();
  else signal?.addEventListener("abort", interrupt, { once: true });
  return () => {
    clearInterval(repeat);
    signal?.removeEventListener("abort", interrupt);
  };
}
