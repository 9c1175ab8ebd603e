import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibrateCounter } from "./calibrate-counter.ts";
import { estimatedCounter } from "./estimated-counter.ts";
import type { TokenCounter } from "./token-counter.ts";

const characters: TokenCounter = {
  name: "characters",
  isExact: true,
  count: (text) => text.length,
};

describe("calibrateCounter", () => {
  it("scales by total reported over total counted, rounded up, and says so in its name", () => {
    const usages = [
      { text: "a".repeat(100), tokens: 30 },
      { text: "b".repeat(300), tokens: 90 },
    ];
    const calibrated = calibrateCounter(characters, usages);
    expect(calibrated).toMatchObject({ name: "characters x 0.300", isExact: false });
    expect(calibrated.count("c".repeat(11))).toBe(4);
  });

  it("leaves out usages without text or without a positive number", () => {
    const nonsense = [0, -5, Number.NaN, Number.POSITIVE_INFINITY].map((tokens) => ({
      text: "abc",
      tokens,
    }));
    const calibrated = calibrateCounter(characters, [
      ...nonsense,
      { text: "", tokens: 50 },
      { text: "abcd", tokens: 2 },
    ]);
    expect(calibrated.count("abcdefgh")).toBe(4);
    expect(calibrateCounter(characters, nonsense).count("abc")).toBe(3);
  });

  it("scales messages too where the counter counts them, and only there", () => {
    const calibrated = calibrateCounter(estimatedCounter, [{ text: "word", tokens: 2 }]);
    const messages = [{ role: "user" as const, content: "hello there" }];
    expect(calibrated.countMessages?.(messages)).toBe(
      2 * (estimatedCounter.countMessages?.(messages) ?? 0),
    );
    expect(calibrateCounter(characters, [])).not.toHaveProperty("countMessages");
  });

  it("counts nothing as 0 and anything else as at least 1, for any usages", () => {
    const usage = fc.record({ text: fc.string(), tokens: fc.double() });
    fc.assert(
      fc.property(fc.array(usage), fc.string({ minLength: 1 }), (usages, text) => {
        const calibrated = calibrateCounter(estimatedCounter, usages);
        expect(calibrated.count("")).toBe(0);
        expect(calibrated.count(text)).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});
