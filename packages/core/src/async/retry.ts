import { backoffDelay } from "./retry-delay.ts";
import { sleep } from "./sleep.ts";

/** What is tried again, and for how long. */
export interface RetryOptions {
  /** Calls after the first; 0 turns retries off. Default: 2. */
  retries?: number | undefined;
  /**
   * How a failure asks to be tried again: after this many milliseconds (its `Retry-After`), or `backoff` for a random
   * wait of up to 0.5 s that doubles up to 8 s; undefined if another call can't help.
   */
  waitFor: (error: unknown) => number | "backoff" | undefined;
  signal?: AbortSignal | undefined;
  /** A failure that would have to wait longer than this is thrown at once; so is one that asks for a minute. */
  remainingMs?: (() => number) | undefined;
}

const backoff = { firstMs: 500, maxMs: 8_000 };
const maxWaitMs = 60_000;

/** Calls again after failures that may pass. @throws the last failure, or the signal's reason during a wait */
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
