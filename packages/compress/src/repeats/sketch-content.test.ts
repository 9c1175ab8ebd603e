import fc from "fast-check";
import { expect, it } from "vitest";

import { sketchContent, sketchSimilarity } from "./sketch-content.ts";

const piece = (at: number): string => `"id": "piece ${at * 7_919}"`;
const pieces = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => piece(from + at));
const similarity = (one: string, other: string): number =>
  sketchSimilarity(sketchContent(one), sketchContent(other));

it.each([
  ["nothing", 0, 1],
  ["a quarter", 120, 1 / 4],
  ["half", 200, 1 / 2],
  ["nine tenths", 284, 9 / 10],
])("estimates the share of pieces in common: %s", (_name, shared, share) => {
  const expected = shared === 0 ? 0 : share;
  for (const join of ["\n", "},"]) {
    const one = pieces(0, 300).join(join);
    const other = pieces(300 - shared, 600 - shared)
      .toReversed()
      .join(join);
    expect(Math.abs(similarity(one, other) - expected)).toBeLessThan(0.15);
    expect(similarity(other, one)).toBe(similarity(one, other));
  }
});

it("is exact for few pieces, in any order and with repetitions", () => {
  const set = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(set, set, (one, other) => {
      const all = new Set([...one, ...other]).size;
      const shared = one.filter((at) => other.includes(at)).length;
      const text = (list: number[]): string => list.map(piece).join("\n");
      const twice = text([...one, ...one.toReversed()]);
      const counted = similarity(twice, text(other)) * Math.max(one.length, other.length);
      // The number of the smallest hashes that both sets have, out of as many as the larger set
      // has.
      expect(counted).toBeLessThanOrEqual(shared + 1e-9);
      expect(counted).toBeGreaterThanOrEqual(
        shared - (all - Math.max(one.length, other.length)) - 1e-9,
      );
      expect(similarity(twice, text(one))).toBe(1);
    }),
  );
});

it("has a bounded size, and ignores pieces without information", () => {
  expect(sketchContent(pieces(0, 5_000).join("\n"))).toHaveLength(64);
  expect(sketchContent("{\n}\n  ]\n\nabc\n")).toHaveLength(0);
  expect(sketchContent("abcd\n},\nabcd")).toHaveLength(1);
  expect(similarity("", "")).toBe(0);
  expect(sketchContent('{"a":1},{"b":1}}')).toHaveLength(2);
});
