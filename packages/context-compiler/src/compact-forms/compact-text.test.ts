import { estimatedCounter } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compactText, identifiersOf } from "./compact-text.ts";

const counter = estimatedCounter;

describe("compactText", () => {
  it("leaves a short text as it is", () => {
    expect(compactText("all good", { counter, maxTokens: 20 })).toBe("all good");
  });

  it("keeps head, tail and the identifiers between them", () => {
    const middle = Array.from({ length: 300 }, (_, at) =>
      at === 150 ? "see src/fields/time.py for TICKET-4711" : `line of words`,
    );
    const text = compactText(["first line", ...middle, "last line"].join("\n"), {
      counter,
      maxTokens: 200,
    });
    expect(text).toMatch(/^first line/);
    expect(text).toMatch(/last line\n\[also named: src\/fields\/time\.py, TICKET-4711\]$/);
    expect(counter.count(text)).toBeLessThanOrEqual(200);
  });

  it("never exceeds its limit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 3_000 }),
        fc.integer({ min: 16, max: 120 }),
        (text, maxTokens) => {
          expect(counter.count(compactText(text, { counter, maxTokens }))).toBeLessThanOrEqual(
            maxTokens,
          );
        },
      ),
    );
  });
});

describe("identifiersOf", () => {
  it("finds ids, codes, paths and dates, each once, and no plain words or amounts", () => {
    const text =
      "Order #W2378156 of mia_li_3668 (mia_li_3668) paid 12.50 with card_81, see lib/a.ts:12 of 2024-05-20.";
    expect(identifiersOf(text)).toEqual([
      "#W2378156",
      "mia_li_3668",
      "card_81",
      "lib/a.ts",
      "2024-05-20",
    ]);
  });
});
