import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compress } from "../compress.ts";
import { jsonUnits, type TableColumns } from "./json-units.ts";

const textsOf = (value: object, columns?: TableColumns): string[] =>
  jsonUnits(value, columns)?.map(({ text }) => text) ?? [];
const items = (count: number, keys = 3): object[] =>
  Array.from({ length: count }, (_, at) =>
    Object.fromEntries(
      [
        ["name", `n${at}`],
        ["sum", at],
        ["note", `x ${at}`],
      ].slice(0, keys),
    ),
  );
const eachOther = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ [`k${at}`]: at }));
const wide = (columns: number, shared: number): object[] =>
  [0, columns - shared].map((first) =>
    Object.fromEntries(Array.from({ length: columns }, (_, at) => [`c${first + at}`, at])),
  );

describe("jsonUnits", () => {
  it.each<[name: string, value: object, texts: string[]]>([
    ["an empty object", {}, ["{}"]],
    ["an empty list", [], ["[]"]],
    [
      "a null among objects",
      { list: [{}, [], { a: 1 }] },
      ["list[0]={}", "list[1]=[]", "list[2]: a=1"],
    ],
    ["one empty row", [{}], ["[0]={}"]],
    ["empty members", { a: {}, b: [], c: "", d: null }, ['b=[]; a={}; c=""; d=null']],
    ["objects in objects", { a: { b: { c: 1, d: "x y" } } }, ["a:", "a.b: c=1; d=x y"]],
    ["scalars", { list: [1, "a b", null, "a|b"] }, ['list=[1, a b, null, "a|b"]']],
    [
      "scalars among objects",
      { list: [1, { a: 1 }, [2, { b: null }]] },
      ["list[0]=1", "list[1]: a=1", "list[2][0]=2", "list[2][1]: b=null"],
    ],
    [
      "identifiers first",
      { state: "open", order: { total: 1, order_id: "a" }, id: 7 },
      ["id=7; state=open", "order: order_id=a; total=1"],
    ],
    [
      "equal rows",
      [
        { a: 1, b: "x" },
        { a: 1, b: "x" },
      ],
      ["2 rows, all a=1; b=x"],
    ],
    [
      "rows with a value that only some have",
      [{ a: 1, b: "x" }, { a: 1 }],
      ["2 rows, all a=1", "b", "x", ""],
    ],
    ["one row", [{ a: 1 }], ["[0]: a=1"]],
    [
      "rows by key",
      { a: { x: 1, y: 2 }, b: { x: 2, z: 3 } },
      ["2 rows", "#|x|y|z", "a|1|2|", "b|2||3"],
    ],
    ["objects with little in common", { a: { x: 1 }, b: { y: 1 } }, ["a: x=1", "b: y=1"]],
    ["objects beside a scalar", { a: { x: 1 }, b: { x: 2 }, c: 3 }, ["c=3", "a: x=1", "b: x=2"]],
    ["groups", [[{ a: 1 }], [{ a: 2 }, { a: 3 }]], ["3 rows", "#|a", "1|1", "2|2", "2|3"]],
    ["groups, one of which is an object", [{ a: 1 }, [{ a: 2 }]], ["[0]: a=1", "[1][0]: a=2"]],
    ["groups, one of which is empty", [[{ a: 1 }], []], ["[0][0]: a=1", "[1]=[]"]],
    [
      "rows with nested objects",
      [1, 2].map((d) => ({ a: { b: { c: { d } } } })),
      ["2 rows", "a.b.c", '{"d":1}', '{"d":2}'],
    ],
    [
      "rows with an empty member",
      [1, 2].map((c) => ({ a: {}, c })),
      ["2 rows, all a={}", "c", "1", "2"],
    ],
  ])("writes %s", (_name, value, texts) => {
    expect(textsOf(value)).toEqual(texts);
  });

  it("writes each column in each row if rows are compared", () => {
    expect(
      textsOf(
        [
          { a: 1, b: 2 },
          { a: 1, b: 3 },
        ],
        "all",
      ),
    ).toEqual(["2 rows", "a|b", "1|2", "1|3"]);
  });

  it("builds no table from rows that fill less than a tenth of its cells, or half of a wide one", () => {
    expect(textsOf(eachOther(10))).toHaveLength(12);
    expect(textsOf(eachOther(11))).toHaveLength(11);
    expect(textsOf(wide(30, 20))[0]).toBe("2 rows");
    expect(textsOf(wide(21, 1))[0]).toBe("2 rows");
    expect(textsOf([...wide(21, 0), { c0: 1 }])).toHaveLength(3);
    expect(textsOf([...wide(20, 0), { c0: 1 }])[0]).toBe("3 rows");
  });

  it("writes values nested deeper than nine levels as JSON", () => {
    const deep: object = JSON.parse(`${'{"a":'.repeat(10)}1${"}".repeat(10)}`);
    expect(textsOf(deep).at(-1)).toBe('a.a.a.a.a.a.a.a.a={"a":1}');
    expect(textsOf(JSON.parse(`${'{"a":'.repeat(9)}1${"}".repeat(9)}`)).at(-1)).toBe(
      "a.a.a.a.a.a.a.a: a=1",
    );
  });

  it("writes lists inside rows as a separate table, with the label of each row", () => {
    const orders = [
      { id: "o-1", items: items(3) },
      { id: "o-2", items: items(5) },
    ];
    expect(textsOf({ orders })).toEqual([
      "orders: 2 rows",
      "id",
      "o-1",
      "o-2",
      "orders.items: 8 rows",
      "#|name|sum|note",
      ...[0, 1, 2].map((at) => `o-1|n${at}|${at}|x ${at}`),
      ...[0, 1, 2, 3, 4].map((at) => `o-2|n${at}|${at}|x ${at}`),
    ]);
  });

  it.each<[name: string, ids: string[], label: string]>([
    ["by its name of 60 characters", ["x".repeat(60), "y"], "x".repeat(60)],
    ["by its number if names are longer", ["x".repeat(61), "y"], "1"],
    ["by its number if names are equal", ["y", "y", "z"], "1"],
  ])("names a row in the table of its lists %s", (_name, ids, label) => {
    const rows = ids.map((id, at) => ({ id, at, items: items(4 + at) }));
    expect(textsOf(rows).find((text) => text.endsWith("|n0|0|x 0"))).toBe(`${label}|n0|0|x 0`);
  });

  it.each<[name: string, lists: unknown[]]>([
    ["few members", [items(3), items(4)]],
    ["members of two keys", [items(8, 2), items(4, 2)]],
    ["other members too", [[...items(8), 1], items(4)]],
    ["fewer members than rows", [items(4), items(4), ...Array.from({ length: 7 }, () => [])]],
    ["texts among them", [items(8), "none"]],
  ])("leaves lists in their cells that have %s", (_name, lists) => {
    const texts = textsOf(lists.map((list, at) => ({ id: `o-${at}`, list })));
    expect(texts).toHaveLength(lists.length + 2);
    expect(texts[1]).toBe("id|list");
    expect(texts[2]).toBe(`o-0|${JSON.stringify(lists[0])}`);
  });

  it("sets the heads of rows, and gives outer lines a higher weight than inner ones", () => {
    const units = jsonUnits({ a: 1, b: { c: { d: 1 } }, list: [{ x: 1 }, { x: 2 }] }) ?? [];
    expect(units.map(({ text, weight }) => [text, Math.round(weight * 100)])).toEqual([
      ["a=1", 100],
      ["b:", 50],
      ["b.c: d=1", 33],
      ["list: 2 rows", 200],
      ["x", 0],
      ["1", 5],
      ["2", 5],
    ]);
    expect(units.slice(3).map(({ head, members, isHeader }) => [head, members, isHeader])).toEqual([
      [undefined, 2, undefined],
      [3, undefined, true],
      [4, undefined, undefined],
      [4, undefined, undefined],
    ]);
    const listed = jsonUnits({ list: [1, { a: 1 }, [{ b: 1 }, 2]] }) ?? [];
    expect(listed.map(({ text, weight }) => [text, Math.round(weight * 100)])).toEqual([
      ["list[0]=1", 33],
      ["list[1]: a=1", 33],
      ["list[2][0]: b=1", 25],
      ["list[2][1]=2", 25],
    ]);
    const tables = Object.fromEntries(
      Array.from({ length: 16 }, (_, at) => [`t${at}`, [{ x: at }, { x: -1 }]]),
    );
    expect(jsonUnits(tables)?.[0]).toMatchObject({ text: "t0: 2 rows", weight: 0.5 });
  });
});

it("distinguishes null, an empty list, an empty text and no value in a table", () => {
  const values = [null, undefined, [], {}, "", "null", "[]", "{}", '""', true, "true", [null]];
  const cells = fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 });
  const shown = (column: unknown[]): string => {
    const rows = column.map((value, at) => ({ id: at, name: `n${at}`, value }));
    const { text, isLossless } = compress(JSON.stringify(rows), { budget: 10_000 });
    expect(isLossless).toBe(true);
    return text;
  };
  fc.assert(
    fc.property(cells, cells, (before, after) => {
      const texts = values.map((value) => shown([...before, value, ...after]));
      expect(new Set(texts).size).toBe(values.length);
    }),
  );
});
