import fc from "fast-check";
import { expect, it } from "vitest";

import { findStrings } from "./find-strings.ts";

const found = (text: string, ...paths: (string | number)[][]): unknown[] =>
  findStrings(text, paths).map(({ path, start, end }) => [
    path,
    JSON.parse(text.slice(start, end)),
  ]);

it("finds each string at its path, whatever the strings and keys contain", () => {
  const json = fc.json({ maxDepth: 4 }).filter((text) => /[[{]/.test(text));
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 1), (given, indent) => {
      const strings: [(string | number)[], string][] = [];
      const walk = (value: unknown, path: (string | number)[]): void => {
        if (typeof value === "string") strings.push([path, value]);
        else if (Array.isArray(value))
          for (const [at, one] of value.entries()) walk(one, [...path, at]);
        else if (typeof value === "object" && value !== null)
          for (const [key, one] of Object.entries(value)) walk(one, [...path, key]);
      };
      walk(JSON.parse(given), []);
      const text = JSON.stringify(JSON.parse(given), undefined, indent);
      expect(found(text, ...strings.map(([path]) => path))).toEqual(strings);
    }),
  );
});

it("finds the last value of a duplicate key, as parsers do, and skips paths to other types", () => {
  const text = '{"m":[{"c":"a"},{"c":"x"}],"n":"b","m":[1,{"c":"d\\\\","c":"e\\""}]}';
  expect(found(text, ["m", 1, "c"], ["n"], ["m"], ["m", 2], ["o"])).toEqual([
    [["n"], "b"],
    [["m", 1, "c"], 'e"'],
  ]);
});
