import fc from "fast-check";
import { expect, it } from "vitest";

import { copyJson } from "./copy-json.ts";

it("gives what JSON would give back", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(copyJson(value)).toEqual({ ok: true, value: JSON.parse(JSON.stringify(value)) });
    }),
  );
  expect(copyJson([-0, { at: -0 }])).toEqual({ ok: true, value: [0, { at: 0 }] });
});

it("names the path of what JSON cannot hold", () => {
  const result = copyJson({ at: [new Date(0), Number.NaN] });
  expect(!result.ok && result.issues.map(({ path }) => path)).toEqual([
    ["at", 0],
    ["at", 1],
  ]);
});

it("leaves no half of a surrogate pair", () => {
  expect(copyJson({ "a\uD83D": ["\uDE00b", "😀"] })).toEqual({
    ok: true,
    value: { "a\uFFFD": ["\uFFFDb", "😀"] },
  });
});
