import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { nearestNames, typingDistance } from "./nearest-names.ts";

describe("nearestNames", () => {
  const names = ["H.main", "H.mail", "T.main", "S.entities", "PR.default", "H.open-alias-registry"];
  it.each([
    ["H.mian", ["H.main", "H.mail", "T.main"]],
    ["main", ["H.main", "T.main", "H.mail"]],
    ["h.MAIN", ["H.main", "H.mail", "T.main"]],
    ["S.entites", ["S.entities"]],
    ["P.default", ["PR.default"]],
    ["H.open-alias-regsitry", ["H.open-alias-registry"]],
    ["H.something-else-entirely", []],
    ["", []],
  ])("finds the nearest names for %j", (query, nearest) => {
    expect(nearestNames(query, names)).toEqual(nearest);
  });

  it("returns 3 or fewer, whatever the order of 10,000 names", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `H.file${index}`);
    expect(nearestNames("H.file12", many.toReversed())).toEqual(nearestNames("H.file12", many));
    expect(nearestNames("H.file12", many)[0]).toBe("H.file12");
  });
});

/** The distance by its recursive definition, without tables. */
function slowDistance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const [x, y] = [a.slice(1), b.slice(1)];
  const swapped =
    a[0] === b[1] && a[1] === b[0] && a[1] !== undefined
      ? slowDistance(a.slice(2), b.slice(2)) + 1
      : 99;
  return Math.min(
    slowDistance(x, b) + 1,
    slowDistance(a, y) + 1,
    slowDistance(x, y) + (a[0] === b[0] ? 0 : 1),
    swapped,
  );
}

describe("typingDistance", () => {
  it.each([
    ["", "", 0],
    ["a", "", 1],
    ["ab", "ba", 1],
    ["kitten", "sitting", 3],
    ["ca", "abc", 3],
    ["abcd", "badc", 2],
    ["a", "bbbbbbbbbbb", 11],
  ])("of %j and %j is %d", (a, b, distance) => {
    expect(typingDistance(a, b, 12)).toBe(distance);
  });

  it("is symmetric, and the limit only cuts it off", () => {
    const word = fc.stringMatching(/^[abc]{0,5}$/);
    fc.assert(
      fc.property(word, word, fc.nat(5), (a, b, limit) => {
        const distance = typingDistance(a, b, 20);
        expect(distance).toBe(slowDistance(a, b));
        expect(typingDistance(b, a, 20)).toBe(distance);
        expect(typingDistance(a, b, limit)).toBe(Math.min(distance, limit + 1));
      }),
    );
  });
});
