import { sleep, throwIfAborted } from "@ccl/core/async";
import { SqlError } from "../sql-error.ts";

/** How long to keep trying. */
export interface RetryOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const longestPauseMs = 20;

/**
 * Retries an action while another connection holds the lock. Pauses get longer and do not block the thread. An
 * action that returned a promise already has the lock and is not retried.
 */
export async function retryWhileBusy<T>(
  action: () => T | Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { timeoutMs, signal } = options;
  const until = performance.now() + timeoutMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return action();
    } catch (error) {
      if (!(SqlError.isInstance(error) && error.code === "busy")) throw error;
      if (performance.now() + pauseMs > until) throw busyError(timeoutMs, error);
    }
    throwIfAborted(signal, SqlError);
    await sleep(pauseMs, signal).catch(() => throwIfAborted(signal, SqlError));
  }
}

function busyError(timeoutMs: number, cause: SqlError): SqlError {
  return new SqlError("busy", `Another connection kept the database locked for ${timeoutMs} ms.`, {
    cause,
  });
}
