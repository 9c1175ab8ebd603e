import { expect, it } from "vitest";

import { retryAfterMs } from "./retry-after.ts";

const now = Date.UTC(2026, 0, 1, 0, 0, 0);

it.each<[Record<string, string>, number | undefined]>([
  [{}, undefined],
  [{ "retry-after": "3" }, 3000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "0.25" }, 250],
  [{ "retry-after": "3", "retry-after-ms": "120" }, 120],
  [{ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }, 60_000],
  [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
  [{ "retry-after": "-5" }, undefined],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "Sunday" }, undefined],
  [{ "retry-after": "1e99" }, undefined],
])("reads %j as %s ms", (headers, expected) => {
  expect(retryAfterMs(new Headers(headers), now)).toBe(expected);
});
