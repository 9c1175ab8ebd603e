import { parseRetryAfter } from "@ccl/core/async";

/**
 * Milliseconds that the provider asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date. A past
 * date is 0. Undefined if there is no such header or it cannot be parsed.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const exact = headers.get("retry-after-ms")?.trim() ?? "";
  return /^\d{1,12}(?:\.\d{1,6})?$/.test(exact)
    ? Math.ceil(Number(exact))
    : parseRetryAfter(headers.get("retry-after"), nowMs);
}
