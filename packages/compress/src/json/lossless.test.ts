import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compress } from "../compress.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

/** Values that a member of a row can have, as JSON text. An absent one is undefined. */
const members = (at: number): string =>
  `[{"part":"p${at}","count":${at},"price":2.5},{"part":"q","count":1,"price":3}]`;
const values: readonly (string | undefined)[] = [
  undefined,
  "null",
  "[]",
  "{}",
  '""',
  "1",
  "1.0",
  "1e0",
  '"1"',
  '"1.0"',
  "-0",
  "0",
  "true",
  '"true"',
  '"null"',
  '"[]"',
  "[1]",
  '["1"]',
  '["a, b"]',
  '["a","b"]',
  '"a|b"',
  '{"b":1}',
  '{"b":1.0}',
  '[{"b":1.0}]',
  '[{"b":"1.0"}]',
  members(1),
];
const value = fc.constantFrom(...values);
const key = fc.constantFrom("list", "a", "a.b", "id", "a|b", "c d");
const row = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 4 });

function textOf(
  rows: readonly (readonly [string, string | undefined][])[],
  isRoot: boolean,
): string {
  const objects = rows.map((entries) => {
    const given = entries.flatMap(([name, one]) =>
      one === undefined ? [] : `${JSON.stringify(name)}:${one}`,
    );
    return `{${given.join(",")}}`;
  });
  const list = `[${objects.join(",")}]`;
  return isRoot ? list : `{"total":${rows.length},"items":${list}}`;
}

/** The text shown for the content, which must be lossless. */
function shown(content: string): string {
  const { text, isLossless, kind } = compress(content, { budget: 100_000 });
  expect([kind, isLossless]).toEqual(["json", true]);
  return text;
}

/** Two tables of 12 rows that differ in one value of one row. */
const pair = fc.record({
  rows: fc.array(row, { minLength: 3, maxLength: 6 }),
  at: fc.nat(5),
  key,
  one: value,
  other: value,
  isRoot: fc.boolean(),
  isListed: fc.boolean(),
});

function tables({
  rows,
  at,
  key: name,
  one,
  other,
  isRoot,
  isListed,
}: {
  rows: [string, string | undefined][][];
  at: number;
  key: string;
  one: string | undefined;
  other: string | undefined;
  isRoot: boolean;
  isListed: boolean;
}): [string, string] {
  // Lists of members in the other rows give the column its own table.
  const base = rows.map((entries, index): [string, string | undefined][] => [
    ["name", `"n${index}"`],
    ...entries.filter(([given]) => given !== name),
    [name, isListed ? members(index) : `${index}`],
  ]);
  const all = [...base, ...base, ...base];
  const put = (given: string | undefined): string =>
    textOf(
      all.map((entries, index) =>
        index === at % rows.length
          ? [
              ...entries.filter(([own]) => own !== name),
              [name, given] as [string, string | undefined],
            ]
          : entries,
      ),
      isRoot,
    );
  return [put(one), put(other)];
}

describe("JSON without loss", () => {
  it("reads differently for each value: null, [], {}, none, 1, 1.0 and their texts", () => {
    fc.assert(
      fc.property(pair, (given) => {
        const [one, other] = tables(given);
        expect(shown(one) === shown(other)).toBe(one === other);
      }),
      { numRuns: byLength({ test: 300, ci: 1_000, faults: 5_000, nightly: 20_000 }) },
    );
  });

  it("would fail if numbers were only parsed, or if rows without members looked alike", () => {
    const caught = (blur: (json: string) => string): number =>
      fc
        .sample(pair, { numRuns: 2_000, seed: 7 })
        .map(tables)
        .filter(([one, other]) => one !== other && blur(one) === blur(other)).length;
    expect(caught((json) => JSON.stringify(JSON.parse(json)))).toBeGreaterThan(0);
    expect(caught((json) => json.replaceAll(/:(?:null|\[\])/g, ":[]"))).toBeGreaterThan(0);
    expect(caught((json) => json)).toBe(0);
  });
});
