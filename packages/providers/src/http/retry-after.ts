/**
 * How long the provider asks to wait, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP
 * date. Undefined when there is no such header or it can't be read; a date in the past is 0.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const exact = readDecimal(headers.get("retry-after-ms"));
  if (exact !== undefined) return Math.ceil(exact);
  const header = headers.get("retry-after");
  const seconds = readDecimal(header);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  // Date.parse takes almost anything for a date, such as "-5" for May; an HTTP date begins with the day's name.
  if (header === null || !/^\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function readDecimal(text: string | null): number | undefined {
  return text !== null && /^\s*\d{1,12}(?:\.\d{1,6})?\s*$/.test(text) ? Number(text) : undefined;
}
