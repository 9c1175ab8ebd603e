import fc from "fast-check";
import { expect, it } from "vitest";

import { parseExactly } from "./parse-exactly.ts";

it.each([
  ["1180000000000000123", "1180000000000000123"],
  ["-9007199254740993", "-9007199254740993"],
  ["12345678901234567.89", "12345678901234567.89"],
  ["1e400", "1e400"],
  ["1e-400", "1e-400"],
  ["9007199254740992", 9007199254740992],
  ["0.30000000000000004", 0.30000000000000004],
  ["12.3400000000000000", "12.3400000000000000"],
  ["1.0", "1.0"],
  ["-0", "-0"],
  ["1e5", "1e5"],
  ["0.5", 0.5],
  ["100", 100],
  ["1500000000000000000000", "1500000000000000000000"],
  ["1.5e+21", 1.5e21],
  ["2.5e-100", 2.5e-100],
  ["2.5E-100", "2.5E-100"],
])("reads the number %s as %j", (number, value) => {
  expect(parseExactly(`{"a":[${number}, 1]}`)).toEqual({ a: [value, 1] });
});

it("leaves texts unchanged", () => {
  const texts = ["1180000000000000123", 'say "1180000000000000123"', "\\", ": 1180000000000000123"];
  expect(parseExactly(JSON.stringify({ texts, "1180000000000000123": 1 }))).toEqual({
    texts,
    "1180000000000000123": 1,
  });
});

it("reads what JavaScript wrote like JSON.parse", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (value, number) => {
        const json = JSON.stringify([value, number]);
        expect(parseExactly(json)).toEqual(JSON.parse(json));
      },
    ),
  );
});

it.each([
  "[1180000000000000123",
  "[1180000000000000123 1]",
  "[01180000000000000123]",
  "[1180000000000000123-1]",
])("rejects %s", (text) => {
  expect(() => parseExactly(text)).toThrow(SyntaxError);
});
