import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { toCompactView } from "./to-compact-view.ts";

const length: TokenCounter = { name: "length", isExact: true, count: (text) => text.length };
const rows = Array.from({ length: 20 }, (_, index) => ({
  id: index,
  name: `name ${index}`,
  isActive: true,
}));

describe("toCompactView", () => {
  it.each([
    ["a table of uniform rows", "a.json", JSON.stringify(rows, undefined, 2), "table"],
    [
      "nested JSON minified",
      "a.json",
      JSON.stringify({ a: { b: [1, { c: 2 }] } }, undefined, 2),
      "minified",
    ],
    [
      "rows with numbers that a parser would respell minified",
      "a.json",
      '[{"a": 1.0}, {"a": 2.0}]',
      "minified",
    ],
    ["YAML minified", "a.yaml", "# comment\na:\n    - 1\n    - 2\n", "minified"],
    [
      "code without comments",
      "a.ts",
      "// A comment that is long enough.\n\n\nexport const a = 1;\n",
      "stripped",
    ],
    ["JSON that is minified already", "a.json", '{"a":1}', "original"],
    ["what is not valid", "a.yaml", "a: [1\n", "original"],
    ["a text of no known language", "a.txt", "a\n\nb\n", "original"],
  ])("gives %s", async (_, path, text, form) => {
    const view = await toCompactView({ path, text }, length);
    expect(view.form).toBe(form);
    expect(view.text === text).toBe(form === "original");
    expect(view.text.length).toBeLessThanOrEqual(text.length);
  });

  it("never takes a form that the counter finds no smaller", async () => {
    const flat: TokenCounter = { name: "flat", isExact: true, count: () => 1 };
    const text = JSON.stringify(rows, undefined, 2);
    expect(await toCompactView({ path: "a.json", text }, flat)).toEqual({ text, form: "original" });
    const view = await toCompactView({ path: "a.json", text }, estimatedCounter);
    expect(estimatedCounter.count(view.text)).toBeLessThan(estimatedCounter.count(text) / 2);
  });
});
