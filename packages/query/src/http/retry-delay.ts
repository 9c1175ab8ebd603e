import { backoffDelay, parseRetryAfter } from "@ccl/core/async";
import { QueryError } from "../query-error.ts";

const firstDelayMs = 200;
const longestDelayMs = 10_000;

/** What a wait goes by. */
export interface RetryState {
  /** The header: seconds, or a date. */
  retryAfter: string | undefined;
  /** From 0. */
  attempt: number;
  error: QueryError;
  maxWaitMs?: number | undefined;
  random?: (() => number) | undefined;
  now: () => number;
}

/**
 * Milliseconds until the next attempt: what Retry-After (RFC 9110, 10.2.3) says, else a random part of a span that doubles.
 * @throws QueryError the error itself, where the server asks for a wait beyond `maxWaitMs`
 */
export function retryDelay({
  retryAfter,
  attempt,
  error,
  maxWaitMs = 60_000,
  random = Math.random,
  now,
}: RetryState): number {
  const wanted = parseRetryAfter(retryAfter, now());
  if (wanted === undefined)
    return Math.min(
      maxWaitMs,
      backoffDelay(attempt, { firstMs: firstDelayMs, maxMs: longestDelayMs, random }),
    );
  if (wanted <= maxWaitMs) return wanted;
  throw new QueryError(
    "source_failed",
    `${error.message} It asks for a wait of ${Math.ceil(wanted / 1_000)} s, longer than maxWaitMs.`,
    {
      details: { retryAfterMs: wanted },
      cause: error,
    },
  );
}
