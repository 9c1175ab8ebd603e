import fc from "fast-check";
import { expect, it } from "vitest";

import { canonicalJson } from "../canonical/canonical-json.ts";
import { isSameJson } from "./is-same-json.ts";

it.each([
  [{ a: 1, b: [true] }, { b: [true], a: 1 }, true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: undefined }, { b: undefined }, true],
  [{ a: undefined, b: 1 }, { a: 1, b: undefined }, false],
  [[], {}, false],
  [[undefined], [], false],
  [JSON.parse('{"__proto__":{}}'), { a: {} }, false],
  [null, {}, false],
  [-0, 0, true],
  ["1", 1, false],
])("compares %j and %j", (left, right, isSame) => {
  expect(isSameJson(left, right)).toBe(isSame);
});

it("agrees with a comparison of the canonical texts, for any two values", () => {
  const small = fc.jsonValue({ maxDepth: 3 });
  const pairs = fc.oneof(
    fc.tuple(small, small),
    small.map((value): [unknown, unknown] => [value, structuredClone(value)]),
  );
  fc.assert(
    fc.property(pairs, ([left, right]) => {
      expect(isSameJson(left, right)).toBe(canonicalText(left) === canonicalText(right));
    }),
  );
});

/** Texts must be well-formed, since canonical JSON accepts no others. */
function canonicalText(value: unknown): string {
  return canonicalJson(
    JSON.parse(JSON.stringify(value).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, "?")),
  );
}
