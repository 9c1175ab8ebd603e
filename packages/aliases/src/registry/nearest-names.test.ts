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
  ])("finds for %j", (query, nearest) => {
    expect(nearestNames(query, names)).toEqual(nearest);
  });

  it("gives at most 3, whatever the order of 10,000 names", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `H.file${index}`);
    expect(nearestNames("H.file12", many.toReversed())).toEqual(nearestNames("H.file12", many));
    expect(nearestNames("H.file12", many)[0]).toBe("H.file12");
  });
});

describe("typingDistance", () => {
  it.each([
    ["", "", 0],
    ["a", "", 1],
    ["ab", "ba", 1],
    ["kitten", "sitting", 3],
    ["ca", "abc", 3],
  ])("of %j and %j is %d", (a, b, distance) => {
    expect(typingDistance(a, b, 10)).toBe(distance);
  });

  it("is symmetric, and the bound only cuts it off", () => {
    const word = fc.stringMatching(/^[abc]{0,8}$/);
    fc.assert(
      fc.property(word, word, fc.nat(8), (a, b, limit) => {
        const distance = typingDistance(a, b, 20);
        expect(typingDistance(b, a, 20)).toBe(distance);
        expect(typingDistance(a, b, limit)).toBe(Math.min(distance, limit + 1));
      }),
    );
  });
});
