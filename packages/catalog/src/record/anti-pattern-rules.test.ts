import { expect, it } from "vitest";

import { rowsOf } from "./anti-pattern-rules.ts";

it.each<[string | number, number | undefined]>([
  ["1000000", 1_000_000],
  ["1e7", 10_000_000],
  [">100000", 100_000],
  ["~5k", 5_000],
  ["2 million rows", 2_000_000],
  ["10 млн", 10_000_000],
  ["more than 1000 matching rows", 1_000],
  ["over 500 buyers", 500],
  ["without limit on orders_2024", undefined],
  ["many", undefined],
])("reads %s as %s rows", (text, rows) => {
  expect(rowsOf(text)).toBe(rows);
});
