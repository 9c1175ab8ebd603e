import { describe, expect, it } from "vitest";

import { ndcgAt, recallAt, reciprocalRank } from "../../test-support/evaluate-catalog.mjs";

const grades = new Map([
  ["a", 1],
  ["b", 1],
]);

describe("ranking metrics", () => {
  it.each([
    [["a", "b"], 1, 1, 1],
    [["b", "x", "a"], 1, (1 + 0.5) / (1 + 1 / Math.log2(3)), 1],
    [["x", "a"], 0.5, 1 / Math.log2(3) / (1 + 1 / Math.log2(3)), 0.5],
    [["x", "y"], 0, 0, 0],
    [[], 0, 0, 0],
    [["a", "a", "a"], 0.5, 1 / (1 + 1 / Math.log2(3)), 1],
  ])(
    "gives %j a recall of %d, an nDCG of %d and a reciprocal rank of %d",
    (ids, recall, ndcg, reciprocal) => {
      expect(recallAt(ids, grades, 10)).toBeCloseTo(recall, 10);
      expect(ndcgAt(ids, grades, 10)).toBeCloseTo(ndcg, 10);
      expect(reciprocalRank(ids, grades, 10)).toBeCloseTo(reciprocal, 10);
    },
  );

  it("counts nothing below the depth", () => {
    expect(recallAt(["x", "a"], grades, 1)).toBe(0);
    expect(ndcgAt(["x", "a"], grades, 1)).toBe(0);
    expect(reciprocalRank(["x", "a"], grades, 1)).toBe(0);
  });

  it("weights better grades higher", () => {
    const graded = new Map([
      ["a", 1],
      ["b", 2],
    ]);
    expect(ndcgAt(["b", "a"], graded, 10)).toBe(1);
    expect(ndcgAt(["a", "b"], graded, 10)).toBeCloseTo(
      (1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)),
      10,
    );
  });
});
