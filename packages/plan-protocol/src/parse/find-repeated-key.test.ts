import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRepeatedKey } from "./find-repeated-key.ts";

describe("findRepeatedKey", () => {
  it.each([
    ['{"a":1,"a":2}', "a"],
    ['{"a":{"b":1},"c":[{"d":1,"\\u0064":2}]}', "d"],
    ['[{"a":1},{"a":1}]', undefined],
    ['{"a":["a","a"],"b":"a"}', undefined],
    ['{"a":"\\"a\\":1,","b":"{\\\\"}', undefined],
  ])("looks into %s", (json, key) => {
    expect(findRepeatedKey(json)).toBe(key);
  });

  it("finds none in what JSON.stringify wrote", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(findRepeatedKey(JSON.stringify(value))).toBeUndefined();
      }),
    );
  });
});
