import { describe, expect, it } from "vitest";
import { wordCounter } from "./word-counter.ts";

describe("wordCounter", () => {
  it.each([
    ["", 0],
    ["   ", 1],
    ["one", 2],
    ["ten words make thirteen tokens by this rule of thumb", 13],
    ["x".repeat(5_000), 2],
  ])("counts %j as %i", (text, tokens) => {
    expect(wordCounter.count(text)).toBe(tokens);
  });
});
