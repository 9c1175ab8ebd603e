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
  const told = toldDelay(retryAfter, now());
  if (told === undefined)
    return Math.min(maxWaitMs, Math.min(longestDelayMs, firstDelayMs * 2 ** attempt) * random());
  if (told <= maxWaitMs) return told;
  throw new QueryError(
    "source_failed",
    `${error.message} It asks for a wait of ${Math.ceil(told / 1_000)} s, longer than maxWaitMs.`,
    {
      details: { retryAfterMs: told },
      cause: error,
    },
  );
}

function toldDelay(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const dateMs = text === "" ? Number.NaN : Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
