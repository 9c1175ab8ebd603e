/**
 * Milliseconds that `Retry-After` asks for: seconds, or an HTTP date (RFC 9110, section 10.2.3); a date in the past is
 * 0. Undefined where there is no such header or it can't be read.
 */
export function parseRetryAfter(
  header: string | null | undefined,
  nowMs: number,
): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  // Date.parse takes almost anything for a date, such as "-5" for May; an HTTP date begins with the day's name.
  const dateMs = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/** The bounds of a back-off. */
export interface BackoffOptions {
  /** The longest wait before the first retry; it doubles each time. */
  firstMs: number;
  /** No wait is longer. */
  maxMs: number;
  /** From 0 to below 1; `Math.random` by default. */
  random?: (() => number) | undefined;
}

/** Milliseconds before retry `attempt`, from 0: full jitter, after "Exponential Backoff And Jitter" (AWS architecture blog). */
export function backoffDelay(
  attempt: number,
  { firstMs, maxMs, random = Math.random }: BackoffOptions,
): number {
  return Math.floor(random() * Math.min(maxMs, firstMs * 2 ** attempt));
}
