import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { SearchHit } from "../search-index.ts";
import { fuseHits, sumOf } from "./fuse-hits.ts";

interface Extra {
  recency: number;
  capability?: number;
  cost?: number;
}

const plainExtra = (): Extra => ({ recency: 0 });
const legOf = (scores: Record<string, number>): SearchHit[] =>
  Object.entries(scores)
    .map(([id, score]) => ({ id, score }))
    .sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
/**
 * Scores are equal or far apart, because scores that differ in the last bit become equal when
 * normalized.
 */
const legArbitrary = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 2_000 })), {
    selector: ([at]) => at,
    maxLength: 40,
  })
  .map((pairs) => legOf(Object.fromEntries(pairs.map(([at, score]) => [`r${at}`, score / 100]))));

describe("fuseHits", () => {
  it("keeps the order of the text leg if nothing else contributes", () => {
    fc.assert(
      fc.property(legArbitrary, (text) => {
        const hits = fuseHits({ text, extraOf: plainExtra });
        expect(hits.map(({ id }) => id)).toEqual(text.map(({ id }) => id));
      }),
    );
  });

  it("keeps the order of the vector leg if the text finds nothing", () => {
    const vector = legOf({ a: 0.9, b: 0.7, c: -0.2 });
    const hits = fuseHits({ text: [], vector, extraOf: plainExtra });
    expect(hits.map(({ id, score }) => [id, score])).toEqual([
      ["a", 1],
      ["b", expect.closeTo(0.818, 3)],
      ["c", 0],
    ]);
  });

  it("explains every score by parts that add up to it, best first, ties by id", () => {
    const terms = fc.record({
      recency: fc.double({ min: 0, max: 1, noNaN: true }),
      capability: fc.double({ min: 0, max: 1, noNaN: true }),
      cost: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        legArbitrary,
        legArbitrary,
        fc.array(terms, { minLength: 41, maxLength: 41 }),
        (text, vector, all) => {
          const extraOf = (id: string): Extra | undefined => all[Number(id.slice(1))];
          const hits = fuseHits({ text, vector, extraOf });
          expect(hits).toHaveLength(new Set([...text, ...vector].map(({ id }) => id)).size);
          hits.forEach(({ score, explain }, at) => {
            expect(sumOf(explain)).toBeCloseTo(score, 10);
            expect(score).toBeLessThanOrEqual((hits[at - 1]?.score ?? Infinity) + 1e-12);
          });
        },
      ),
    );
  });

  it("never lets the vector leg push a hit down past twice its place", () => {
    fc.assert(
      fc.property(legArbitrary, legArbitrary, (text, vector) => {
        const hits = fuseHits({
          text,
          vector,
          extraOf: plainExtra,
        }).map(({ id }) => id);
        text.forEach(({ id }, at) => {
          expect(hits.indexOf(id) + 1).toBeLessThanOrEqual(2 * (at + 1));
        });
      }),
    );
  });

  it("gives no weight to a vector leg that contradicts the words, and full weight to one that agrees", () => {
    const text = legOf(
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`r${at}`, 20 - at])),
    );
    const agreeing = text.map(({ id, score }) => ({ id, score: score / 20 }));
    const contradicting = text.map(({ id, score }) => ({ id, score: 1 - score / 20 }));
    const vectorOf = (vector: SearchHit[]): number =>
      Math.max(
        ...fuseHits({ text, vector, extraOf: plainExtra }).map(
          ({ explain }) => explain.vector ?? NaN,
        ),
      );
    expect(vectorOf(agreeing)).toBeCloseTo(0.3, 10);
    expect(vectorOf(contradicting)).toBe(0);
  });

  it("trusts a vector leg less if fewer hits show that it agrees", () => {
    const vectorOf = (count: number): number => {
      const text = legOf(
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, count - at])),
      );
      const vector = text.map(({ id, score }, at) => ({ id, score: score / count + (at % 2) }));
      const hits = fuseHits({ text, vector, extraOf: plainExtra });
      return Math.max(...hits.map(({ explain }) => explain.vector ?? NaN));
    };
    expect(vectorOf(100)).toBeCloseTo(0.3, 10);
    expect(vectorOf(10)).toBeLessThan(0.2);
  });

  it("trusts a vector leg less if fewer of the hits have a vector", () => {
    const text = legOf(
      Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`r${at}`, 100 - at])),
    );
    const vector = text
      .filter((_, at) => at % 4 === 0)
      .map(({ id, score }) => ({ id, score: score / 100 }));
    const hits = fuseHits({ text, vector, extraOf: plainExtra });
    expect(Math.max(...hits.map(({ explain }) => explain.vector ?? 0))).toBeCloseTo(0.3 / 4, 10);
  });

  it("orders documents that the words did not find by their vectors, even if these contradict the words", () => {
    const text = legOf(
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`r${at}`, 30 - at])),
    );
    const vector = [
      ...text.map(({ id, score }) => ({ id, score: 1 - score / 30 })),
      ...legOf({ b: 0.3, c: 0.2, a: 0.1 }),
    ];
    const hits = fuseHits({ text, vector, extraOf: plainExtra });
    expect(hits.map(({ id }) => id)).toEqual([...text.map(({ id }) => id), "b", "c", "a"]);
  });

  it("scores a document without a vector by its words alone, so that it neither gains nor loses", () => {
    const text = legOf(
      Object.fromEntries(
        Array.from({ length: 20 }, (_, at) => [`r${String(at).padStart(2, "0")}`, 20 - at]),
      ),
    );
    const vector = text
      .filter((_, at) => at % 2 === 0)
      .map(({ id, score }) => ({ id, score: score / 20 }));
    const hits = fuseHits({ text, vector, extraOf: plainExtra });
    expect(hits.map(({ id }) => id)).toEqual(text.map(({ id }) => id));
    const second = hits.find(({ id }) => id === "r01");
    expect(second?.explain).toEqual({ recency: 0, text: expect.closeTo(18 / 19, 10) });
  });

  it("adds the extra amounts and names them", () => {
    const text = legOf({ a: 2, b: 1 });
    const extraOf = (id: string): Extra =>
      id === "a" ? { recency: 0, cost: -0.1 } : { recency: 0.2, capability: 1 };
    const hits = fuseHits({ text, extraOf });
    expect(hits).toEqual([
      { id: "b", score: 1.2, explain: { recency: 0.2, capability: 1, text: 0 } },
      { id: "a", score: 0.9, explain: { recency: 0, cost: -0.1, text: 1 } },
    ]);
  });

  it("leaves out documents without extra amounts", () => {
    const extraOf = (id: string): Extra | undefined => (id === "a" ? undefined : { recency: 0 });
    const hits = fuseHits({ text: legOf({ a: 2, b: 1 }), extraOf });
    expect(hits.map(({ id }) => id)).toEqual(["b"]);
  });
});
