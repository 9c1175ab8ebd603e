import fc from "fast-check";
import { expect, it } from "vitest";

import { descendingId, recordName } from "./record-name.ts";
import { requireName } from "./stored-key.ts";

const id = fc.oneof(
  fc.string({ maxLength: 4, unit: fc.constantFrom("a", "/", "%", "2", "f", "~") }),
  fc.string({ minLength: 78, maxLength: 90, unit: fc.constantFrom("a", "b") }),
  fc.string({ maxLength: 40, unit: "binary" }),
);
const ids = fc.array(id, { minLength: 3, maxLength: 3 });
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

it("gives names that are allowed, and that no two lists of ids share", () => {
  fc.assert(
    fc.property(ids, ids, (some, others) => {
      const name = recordName("kind", ...some);
      requireName(name);
      const isSame = JSON.stringify(some) === JSON.stringify(others);
      expect(name === recordName("kind", ...others)).toBe(isSame);
    }),
  );
});

it("gives a long id and the name that stands for it two names", () => {
  const long = "x".repeat(200);
  const short = recordName("kind", long).slice("kind/".length);
  expect(short).toHaveLength(80);
  expect(recordName("kind", short)).not.toBe(recordName("kind", long));
});

it("gives prefixes that only names of the same first ids have", () => {
  fc.assert(
    fc.property(ids, ids, ([a = "", b = ""], [c = "", d = "", e = ""]) => {
      const isUnder = recordName("kind", c, d, e).startsWith(recordName("kind", a, b, ""));
      expect(isUnder).toBe(a === c && b === d);
    }),
  );
});

it("gives names that sort like their last ids, and parts that sort the other way round", () => {
  const short = fc.string({ maxLength: 40, unit: "binary" });
  fc.assert(
    fc.property(short, short, (one, other) => {
      const order = compare(one, other);
      expect(compare(recordName("k", "a", one), recordName("k", "a", other))).toBe(order);
      // Not `-order`, which is -0 for equal ids.
      expect(compare(descendingId(other), descendingId(one))).toBe(order);
    }),
  );
});
