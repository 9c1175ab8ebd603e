/**
 * Parses `Retry-After` into milliseconds. The header holds seconds or an HTTP date (RFC 9110, section 10.2.3). Returns
 * 0 for a past date. Undefined if the header is absent or cannot be parsed.
 */
export function parseRetryAfter(
  header: string | null | undefined,
  nowMs: number,
): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  // Date.parse accepts almost anything, such as "-5" for May. An HTTP date begins with the name of the day.
  const dateMs = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/** Limits of a back-off. */
interface BackoffOptions {
  /** Upper bound of the wait before the first retry. It doubles each time. */
  firstMs: number;
  /** Upper bound of every wait. */
  maxMs: number;
  /** From 0 to below 1; `Math.random` by default. */
  random?: (() => number) | undefined;
}

/**
 * Computes how many milliseconds to wait before retry `attempt`, counted from 0. It uses full
 * jitter, as in "Exponential Backoff And Jitter" (AWS architecture blog).
 */
export function backoffDelay(
  attempt: number,
  { firstMs, maxMs, random = Math.random }: BackoffOptions,
): number {
  return Math.floor(random() * Math.min(maxMs, firstMs * 2 ** attempt));
}
