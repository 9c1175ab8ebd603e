import fc from "fast-check";
import { expect, it } from "vitest";

import {
  createGenerationName,
  createStagedName,
  dataKeyOf,
  parseGeneration,
  stagedAtOf,
  timeToken,
} from "./generation.ts";

const time = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) });
const size = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const staged = fc.option(time.map(createStagedName), { nil: undefined });

it("reads from the name of a copy what it was made of", () => {
  fc.assert(
    fc.property(time, size, staged, (now, sizeBytes, of) => {
      const name = createGenerationName(now, sizeBytes, of);
      expect(parseGeneration(name)).toEqual({
        name,
        committedAt: now,
        sizeBytes,
        dataKey: of === undefined ? undefined : dataKeyOf(of),
      });
      expect(of && stagedAtOf(dataKeyOf(of))).toBe(of?.at);
    }),
  );
});

it("sorts names by when they were committed, to the millisecond", () => {
  fc.assert(
    fc.property(time, fc.integer({ min: 0, max: 10_000 }), (at, more) => {
      const later = at + 1 + more;
      expect(timeToken(at) < timeToken(later)).toBe(true);
      expect(timeToken(at + 0.5)).toBe(timeToken(at));
      const [first, second] = [at, later].map((now) => createGenerationName(now, 1));
      expect((first ?? "") < (second ?? "")).toBe(true);
    }),
  );
  expect(timeToken(-5)).toBe("000000000");
  expect(parseGeneration(createGenerationName(-5, 1))?.committedAt).toBe(0);
});

it("never gives two copies one name", () => {
  const names = Array.from({ length: 100 }, () => createGenerationName(5, 1));
  expect(new Set(names).size).toBe(100);
});

it("takes no other text for a name", () => {
  const name = createGenerationName(5, 40, createStagedName(4));
  for (const other of [
    "",
    name.slice(1),
    `${name}-`,
    `${name}!`,
    name.replace("-s", "-x"),
    `x${name}`,
  ])
    expect(parseGeneration(other)).toBeUndefined();
  const key = dataKeyOf(createStagedName(4));
  for (const other of ["", key.slice(1), `${key}0`, key.slice(0, -1), `p/${key}`])
    expect(stagedAtOf(other)).toBeUndefined();
});
