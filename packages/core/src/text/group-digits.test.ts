import { describe, expect, it } from "vitest";

import { groupDigits } from "./group-digits.ts";

describe("groupDigits", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1,000"],
    [1_234_567, "1,234,567"],
    [-12_345, "-12,345"],
  ])("writes %d as %s", (count, text) => {
    expect(groupDigits(count)).toBe(text);
  });
});
