import { parseRetryAfter } from "@ccl/core/async";

/**
 * Returns the delay that the provider requests, in milliseconds, from `retry-after-ms` or from `Retry-After` in seconds
 * or as an HTTP date. Returns 0 for a past date. Returns undefined if the header is missing or cannot be parsed.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const exact = headers.get("retry-after-ms")?.trim() ?? "";
  return /^\d{1,12}(?:\.\d{1,6})?$/.test(exact)
    ? Math.ceil(Number(exact))
    : parseRetryAfter(headers.get("retry-after"), nowMs);
}
