import { expect, it } from "vitest";

import { cellText, RowUnit, valueText } from "./row-unit.ts";

it.each([
  ["plain", "plain", "plain"],
  ["two words", "two words", "two words"],
  [7, "7", "7"],
  [null, "null", "null"],
  [undefined, "", ""],
  [{ a: [1] }, '{"a":[1]}', '{"a":[1]}'],
  // Strings that could be mistaken for another value, or for several cells.
  ["", '""', ""],
  ["true", '"true"', "true"],
  ["null", '"null"', "null"],
  ["nullable", "nullable", "nullable"],
  [" x", '" x"', " x"],
  ["x ", '"x "', "x "],
  ["a|b", '"a|b"', "a|b"],
  ["a;b", '"a;b"', "a;b"],
  ["a\nb", '"a\\nb"', "a\nb"],
])("shows %j in a cell as %s, and searches it as %s", (value, cell, searched) => {
  expect([cellText(value), valueText(value)]).toEqual([cell, searched]);
});

it("is numbered from 1, and reads its cells on demand", () => {
  const read: number[] = [];
  const unit = new RowUnit(4, {
    head: 2,
    read: (row) => {
      read.push(row);
      return ["a", undefined, 1];
    },
  });
  expect([unit.from, unit.to, unit.head, read]).toEqual([5, 5, 2, []]);
  expect([unit.text, read]).toEqual(["a||1", [4]]);
});
