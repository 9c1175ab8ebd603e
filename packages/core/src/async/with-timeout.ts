import { untilAborted } from "./abort.ts";
import { createDeadline, type TimeoutOptions } from "./deadline.ts";

/**
 * Runs work that may ignore its signal. Rejects when the time is up or the caller aborts, whatever
 * the work does. The work's signal is aborted with the same reason. It is also aborted when the
 * call ends otherwise, so that nothing stays open. A late result or failure is ignored.
 */
export async function withTimeout<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  options: TimeoutOptions,
): Promise<Value> {
  options.signal?.throwIfAborted();
  const deadline = createDeadline(options);
  try {
    return await untilAborted(work(deadline.signal), deadline.signal);
  } finally {
    deadline.close();
  }
}
