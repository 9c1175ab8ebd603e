import { backoffDelay } from "./retry-delay.ts";
import { sleep } from "./sleep.ts";

/** Options that decide which failures are retried, and for how long. */
interface RetryOptions {
  /** Maximum number of calls after the first one. 0 turns retries off. 2 by default. */
  retries?: number | undefined;
  /**
   * Decides when to call again after a failure: after this many milliseconds (its `Retry-After`),
   * or after `backoff`, a random wait of up to 0.5 s that doubles up to 8 s. Undefined if another
   * call cannot help.
   */
  waitFor: (error: unknown) => number | "backoff" | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Returns the remaining time of the whole call. A failure whose wait would exceed it, or a
   * minute, is thrown immediately.
   */
  remainingMs?: (() => number) | undefined;
}

const backoff = { firstMs: 500, maxMs: 8_000 };
const maxWaitMs = 60_000;

/**
 * Retries failures that may be temporary.
 * @throws the last failure, or the signal's reason during a wait
 */
export async function retry<Value>(
  attempt: () => Promise<Value>,
  { retries = 2, waitFor, signal, remainingMs }: RetryOptions,
): Promise<Value> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = failures < retries && signal?.aborted !== true ? waitFor(error) : undefined;
      const waitMs = wait === "backoff" ? backoffDelay(failures, backoff) : wait;
      const maxMs = Math.min(maxWaitMs, remainingMs?.() ?? Infinity);
      if (waitMs === undefined || waitMs >= maxMs) throw error;
      await sleep(waitMs, signal);
    }
  }
}
