import { describe, expect, it } from "vitest";
import { countColons } from "./count-colons.ts";

const size = 1_000_000;

describe("countColons", () => {
  it.each<[string, string]>([
    ["brackets alone", "[".repeat(size)],
    ["a nest that is closed", "[".repeat(size / 2) + "]".repeat(size / 2)],
    ["a nest behind a long string", `["${"x".repeat(size / 2)}",${"[".repeat(size / 2)}`],
    ["objects", '{"key":'.repeat(size / 7)],
  ])("sees %s", (_name, text) => expect(countColons(text, 512)).toBeUndefined());

  it.each<[string, string]>([
    ["many small lists", `[${"[1,2],".repeat(size / 6)}[]]`],
    ["brackets in a string", `["${"[".repeat(size)}"]`],
    ["brackets in a string with escapes", `["\\"${"[".repeat(size)}\\\\"]`],
    [
      "a nest within the limit",
      `[${`${"[".repeat(500)}${"]".repeat(500)},`.repeat(size / 1001)}[]]`,
    ],
  ])("lets %s pass", (_name, text) => expect(countColons(text, 512)).toBe(0));
});
