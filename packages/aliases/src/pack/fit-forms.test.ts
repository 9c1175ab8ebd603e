import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fitForms, type Candidate } from "./fit-forms.ts";

const candidate = fc.record({
  weight: fc.double({ min: 0.01, max: 10, noNaN: true }),
  forms: fc.array(
    fc.record({
      tokens: fc.integer({ min: 1, max: 500 }),
      value: fc.double({ min: 0.1, max: 3, noNaN: true }),
    }),
    {
      maxLength: 6,
    },
  ),
});

const spent = (candidates: Candidate[], chosen: number[]): number =>
  candidates.reduce((sum, { forms }, index) => sum + (forms[chosen[index] ?? -1]?.tokens ?? 0), 0);

describe("fitForms", () => {
  it("never spends more than the capacity", () => {
    fc.assert(
      fc.property(
        fc.array(candidate),
        fc.integer({ min: 0, max: 5000 }),
        (candidates, capacity) => {
          expect(spent(candidates, fitForms(candidates, { tokens: capacity }))).toBeLessThanOrEqual(
            capacity,
          );
        },
      ),
    );
  });

  it("leaves no candidate out whose cheapest form would still fit", () => {
    fc.assert(
      fc.property(
        fc.array(candidate),
        fc.integer({ min: 0, max: 5000 }),
        (candidates, capacity) => {
          const chosen = fitForms(candidates, { tokens: capacity });
          const left = capacity - spent(candidates, chosen);
          const leftOut = candidates
            .filter((_, index) => chosen[index] === -1)
            .flatMap(({ forms }) => forms);
          expect(leftOut.filter((form) => form.tokens <= left)).toEqual([]);
        },
      ),
    );
  });

  it("never spends more than its cap on a group", () => {
    fc.assert(
      fc.property(fc.array(candidate), fc.integer({ min: 0, max: 1000 }), (candidates, cap) => {
        const grouped = candidates.map((one, index) => ({
          ...one,
          group: index % 2 === 0 ? "A" : "H",
        }));
        const chosen = fitForms(grouped, { tokens: 5000, groups: { A: cap } });
        const inGroup = chosen.map((form, index) => (index % 2 === 0 ? form : -1));
        expect(spent(grouped, inGroup)).toBeLessThanOrEqual(cap);
      }),
    );
  });

  it("gives every candidate its most telling form when everything fits", () => {
    const forms = [
      { tokens: 10, value: 1 },
      { tokens: 50, value: 1.2 },
      { tokens: 400, value: 2 },
    ];
    expect(
      fitForms(
        [
          { weight: 1, forms },
          { weight: 0.1, forms },
        ],
        { tokens: 800 },
      ),
    ).toEqual([2, 2]);
  });

  it("prefers many files in brief over one in full", () => {
    const forms = [
      { tokens: 20, value: 1 },
      { tokens: 100, value: 1.5 },
    ];
    const candidates = [1, 0.9, 0.8, 0.7, 0.6].map((weight) => ({ weight, forms }));
    expect(fitForms(candidates, { tokens: 100 })).toEqual([0, 0, 0, 0, 0]);
  });

  it("is worth at most one form less than the best choice, where that can be enumerated", () => {
    fc.assert(
      fc.property(
        fc.array(candidate, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 1500 }),
        (candidates, capacity) => {
          const worth = (chosen: number[]): number =>
            candidates.reduce(
              (sum, { forms, weight }, index) =>
                sum + weight * (forms[chosen[index] ?? -1]?.value ?? 0),
              0,
            );
          let best = 0;
          const visit = (prefix: number[]): void => {
            if (prefix.length === candidates.length) {
              if (spent(candidates, prefix) <= capacity) best = Math.max(best, worth(prefix));
              return;
            }
            for (let form = -1; form < (candidates[prefix.length]?.forms.length ?? 0); form++)
              visit([...prefix, form]);
          };
          visit([]);
          const largest = Math.max(
            0,
            ...candidates.flatMap(({ forms, weight }) => forms.map((form) => weight * form.value)),
          );
          expect(
            worth(fitForms(candidates, { tokens: capacity })) + largest,
          ).toBeGreaterThanOrEqual(best - 1e-9);
        },
      ),
    );
  });
});
