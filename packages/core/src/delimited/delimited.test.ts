import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  columnNames,
  createDelimitedScanner,
  detectDelimiter,
  readDelimited,
  type Delimiter,
} from "./index.ts";

const rowsOf = (text: string, delimiter: Delimiter = ","): string[][] => [
  ...readDelimited(text, delimiter),
];

describe("readDelimited", () => {
  it.each<[string, string, string[][]]>([
    [
      "rows and line ends of all kinds",
      "a,b\r\n1,2\n3,4\r5,6",
      [
        ["a", "b"],
        ["1", "2"],
        ["3", "4"],
        ["5", "6"],
      ],
    ],
    ["quoted cells", '"a,b","c\r\nd","e""f"\n', [["a,b", "c\r\nd", 'e"f']]],
    ["a quote within a bare cell", '5" pipe,x\n', [['5" pipe', "x"]]],
    ["text after a closing quote", '"a"b,c\n', [["ab", "c"]]],
    ["empty cells", ",a,\n", [["", "a", ""]]],
    ["a text without its empty lines", "a\n\n\nb\n", [["a"], ["b"]]],
    ["a byte order mark", "\uFEFFa,b\n", [["a", "b"]]],
    [
      "a line that declares the delimiter",
      "\uFEFFsep=,\r\na,b\r\n1,2\r\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    ["an unclosed quote", 'a,"b\nc', [["a", "b\nc"]]],
    ["nothing", "", []],
  ])("reads %s", (_name, text, expected) => {
    expect(rowsOf(text)).toEqual(expected);
  });

  it("reads back any cells that were written by RFC 4180, in pieces of any size", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", ";", " ") });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }));
    fc.assert(
      fc.property(
        table,
        fc.nat({ max: 5 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        (rows, size, end) => {
          const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
          const text = rows.map((row) => row.map(quoted).join(",") + end).join("");
          const scanner = createDelimitedScanner(",");
          const read: string[][] = [];
          for (let at = 0; at < text.length; at += size + 1) {
            read.push(...scanner.push(text.slice(at, at + size + 1)));
          }
          expect([...read, ...scanner.end()]).toEqual(rows);
        },
      ),
    );
  });

  it("reads any text like a scanner", () => {
    const unit = fc.constantFrom("a", ",", '"', "\n", "\r", " ");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
        const scanner = createDelimitedScanner(",");
        expect(rowsOf(text)).toEqual([...scanner.push(text), ...scanner.end()]);
      }),
    );
  });

  it("takes linear time, even if a quote stays open", () => {
    const text = `a,"${"x\n".repeat(1_000_000)}`;
    expect(rowsOf(text)).toEqual([["a", "x\n".repeat(1_000_000)]]);
  });
});

describe("createDelimitedScanner", () => {
  it("reports pending characters, and whether a quote is open", () => {
    const scanner = createDelimitedScanner(";");
    expect(scanner.push('a;b\nc;"d')).toEqual([["a", "b"]]);
    expect([scanner.isInQuotes, scanner.pendingChars]).toEqual([true, 4]);
    expect(scanner.push('"\n')).toEqual([["c", "d"]]);
    expect([scanner.isInQuotes, scanner.pendingChars]).toEqual([false, 0]);
    expect(scanner.end()).toEqual([]);
  });
});

describe("a line that declares the delimiter", () => {
  it.each(["sep=;\na;b\n", "\uFEFFsep=;\r\na;b\r\n", "SEP=;\ra;b\r"])(
    "is skipped in pieces of any size: %j",
    (text) => {
      for (let size = 1; size <= text.length; size += 1) {
        const scanner = createDelimitedScanner(detectDelimiter(text));
        const rows: string[][] = [];
        for (let at = 0; at < text.length; at += size)
          rows.push(...scanner.push(text.slice(at, at + size)));
        expect([...rows, ...scanner.end()]).toEqual([["a", "b"]]);
      }
    },
  );

  it("is a row anywhere else", () => {
    const scanner = createDelimitedScanner(";");
    expect([...scanner.push("a;b\n"), ...scanner.push("sep=;\n")]).toEqual([
      ["a", "b"],
      ["sep=", ""],
    ]);
  });
});

describe("detectDelimiter", () => {
  it.each<[string, Delimiter]>([
    ["a,b\n1,2\n", ","],
    ["a;b\n1,5;2,5\n3,5;4,5\n", ";"],
    ["a\tb\n1\t2\n", "\t"],
    ["a|b\n1|2\n", "|"],
    ['"a;b",c\n"1;2",3\n', ","],
    ["sep=|\na,b|c\n1,2|3\n", "|"],
    ["one column\nonly\n", ","],
    ["", ","],
  ])("of %j is %j", (text, expected) => {
    expect(detectDelimiter(text)).toBe(expected);
  });
});

describe("columnNames", () => {
  it("are unique and never empty", () => {
    expect(columnNames(["a", " ", "a", "a_2", "a"], 6)).toEqual([
      "a",
      "column_2",
      "a_2",
      "a_2_2",
      "a_3",
      "column_6",
    ]);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("", "a", "a_2", "column_2"), { maxLength: 12 }),
        (header) => {
          const names = columnNames(header);
          expect(new Set(names).size).toBe(header.length);
          expect(names).not.toContain("");
        },
      ),
    );
  });
});
