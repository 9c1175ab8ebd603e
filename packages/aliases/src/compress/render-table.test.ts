import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { renderTable } from "./render-table.ts";

/** The inverse, as a reader of the form would write it. */
function parseTable(text: string): unknown {
  const cellOf = (cell: string): unknown => {
    try {
      return JSON.parse(cell);
    } catch {
      return cell;
    }
  };
  const [header = [], ...rows] = text.split("\n").map((line) => line.split("|").map(cellOf));
  return rows.map((row) =>
    Object.fromEntries(row.map((cell, index) => [String(header[index]), cell])),
  );
}

const scalar = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "1",
    "1.0",
    "-2e5",
    "true",
    "null",
    "a|b",
    " a",
    '"',
    "\\",
    "a\nb",
    "",
    "007",
    "2024-01-01",
  ),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
);

describe("renderTable", () => {
  it("writes the keys once and quotes only what would read as something else", () => {
    const rows = [
      { id: 1, name: "Ann", note: "a|b", code: "1", isActive: true },
      { id: 2, name: "Борис", note: "", code: "x1", isActive: null },
    ];
    expect(renderTable(rows)).toMatchInlineSnapshot(`
      "id|name|note|code|isActive
      1|Ann|"a\\u007cb"|"1"|true
      2|Борис|""|x1|null"
    `);
  });

  it.each([
    ["a single row", [{ a: 1 }]],
    ["rows with other keys", [{ a: 1 }, { b: 1 }]],
    [
      "rows with another order",
      [
        { a: 1, b: 2 },
        { b: 1, a: 2 },
      ],
    ],
    ["nested rows", [{ a: { b: 1 } }, { a: { b: 2 } }]],
    ["empty rows", [{}, {}]],
    ["no list", { a: 1 }],
    ["a list of values", [1, 2]],
  ])("makes no table of %s", (_, value) => {
    expect(renderTable(value)).toBeUndefined();
  });

  it("loses nothing", () => {
    const table = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }).chain((keys) =>
      fc.array(fc.record(Object.fromEntries(keys.map((key) => [key, scalar]))), {
        minLength: 2,
        maxLength: 5,
      }),
    );
    fc.assert(
      fc.property(table, (rows) => {
        const text = renderTable(rows);
        if (text === undefined) return;
        expect(JSON.stringify(parseTable(text))).toBe(JSON.stringify(rows));
      }),
    );
  });
});
