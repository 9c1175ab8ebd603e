import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { boundSummary } from "./bound-summary.ts";

const wide = { maxChars: 100_000, maxTextChars: 1_000 };
const value = fc.jsonValue({ maxDepth: 6 });

/** The deepest object or list that holds anything. */
function depthOf(given: unknown): number {
  if (typeof given !== "object" || given === null) return 0;
  return 1 + Math.max(0, ...Object.values(given).map(depthOf));
}

describe("a summary", () => {
  it("takes no more room than it has, whatever it holds", () => {
    const summary = fc.dictionary(fc.string(), value);
    const long = fc.dictionary(
      fc.string(),
      fc.array(fc.oneof(fc.string({ maxLength: 200 }), fc.double()), { maxLength: 50 }),
    );
    fc.assert(
      fc.property(fc.oneof(summary, long), fc.integer({ min: 1, max: 600 }), (given, maxChars) => {
        const bounded = boundSummary(given, { maxChars, maxTextChars: 50 });
        // Escapes come on top, and the word that it was cut, which each level may have.
        const plain = JSON.stringify(bounded).replaceAll(/\\(?:u.{4}|.)/g, "x");
        expect(plain.length).toBeLessThanOrEqual(maxChars + 80);
        expect(depthOf(bounded)).toBeLessThanOrEqual(4);
      }),
    );
  });

  it("is as it came where it is small and has nothing to hide", () => {
    const given = {
      model: "m",
      tokens: 12,
      isCached: true,
      none: null,
      stop: ["a", "b"],
      of: { at: [1] },
    };
    expect(boundSummary(given, wide)).toEqual(given);
    for (const other of [undefined, null, "text", 5, [1]])
      expect(boundSummary(other, wide)).toBeUndefined();
  });

  it("holds no credential, at any depth, and neither a key that changes an object", () => {
    const secrets = {
      apiKey: "k",
      credentialRef: "c",
      authorization: "a",
      left: 1,
      none: undefined,
    };
    const given = JSON.parse('{ "__proto__": { "left": 2 } }');
    expect(boundSummary({ ...secrets, of: [secrets], ...given }, wide)).toEqual({
      left: 1,
      of: [{ left: 1 }],
    });
    const bounded = boundSummary(given, wide) ?? {};
    expect(Object.keys(bounded)).toEqual([]);
    expect(Object.getPrototypeOf(bounded)).toBe(Object.prototype);
  });

  it.each([
    ["rawTextPreview", 1_024],
    ["parseErrorMessage", 512],
    ["stop", 120],
    ["other", 1_000],
  ])("cuts the text of %s to %d characters", (key, max) => {
    const textOf = (chars: number): unknown =>
      boundSummary({ [key]: "x".repeat(chars) }, wide)?.[key];
    expect(textOf(max)).toBe("x".repeat(max));
    expect(textOf(max + 1)).toBe(`${"x".repeat(max - 1)}…`);
  });

  it("holds the first of many, and says where it ends", () => {
    const many = Array.from({ length: 80 }, (_, at) => at);
    const record = Object.fromEntries(many.map((at) => [`key${at}`, at]));
    const bounded = boundSummary({ many, stop: many, record }, wide) ?? {};
    expect(bounded["many"]).toEqual(many.slice(0, 50));
    expect(bounded["stop"]).toEqual(many.slice(0, 10));
    expect(Object.keys(Object(bounded["record"]))).toEqual([
      ...Object.keys(record).slice(0, 50),
      "truncated",
    ]);
    const short = boundSummary({ first: 1, second: 2, third: 3 }, { ...wide, maxChars: 20 });
    expect(short).toEqual({ first: 1, truncated: true });
  });

  it("shows what JSON cannot hold, and what lies too deep, as left out", () => {
    const deep = { one: { two: { three: { four: {} } } } };
    expect(boundSummary({ deep, big: 1n, no: NaN }, wide)).toEqual({
      deep: { one: { two: { three: "[left out]" } } },
      big: "[left out]",
      no: null,
    });
  });
});
