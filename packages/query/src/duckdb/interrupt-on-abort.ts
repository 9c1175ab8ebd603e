/** Interval between interrupts while a connection must stop. */
const repeatMs = 20;

/**
 * Interrupts a connection when the signal aborts. Returns a function to remove the listener, which must be called.
 */
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
  // The signal may have aborted while the connection was opening.
  if (signal?.aborted === true) interrupt();
  else signal?.addEventListener("abort", interrupt, { once: true });
  return () => {
    clearInterval(repeat);
    signal?.removeEventListener("abort", interrupt);
  };
}
