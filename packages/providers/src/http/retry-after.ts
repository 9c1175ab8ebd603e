import { parseRetryAfter } from "@ccl/core/async";

/**
 * How long the provider asks to wait, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP
 * date. Undefined when there is no such header or it can't be read; a date in the past is 0.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const exact = headers.get("retry-after-ms")?.trim() ?? "";
  return /^\d{1,12}(?:\.\d{1,6})?$/.test(exact)
    ? Math.ceil(Number(exact))
    : parseRetryAfter(headers.get("retry-after"), nowMs);
}
