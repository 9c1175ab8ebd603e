import type { ResourceDetails } from "@ccl/catalog";
import fc, { type GeneratorValue } from "fast-check";
import type { PlanValue } from "../connector/column-batch.ts";
import { exactInt } from "../connector/decode-value.ts";
import { hostileTexts } from "./arbitrary-plan.ts";

/** A row of plan values by column name. */
export type RandomRow = Record<string, PlanValue>;

/** Plan types, and kinds whose values overflow their type in almost any computation. */
export type RandomKind =
  "int" | "big" | "decimal" | "wide" | "float" | "huge" | "bool" | "text" | "date" | "timestamp" | "timestamptz";

export interface RandomColumn {
  name: string;
  kind: RandomKind;
  declared: string;
}

/** Names that need quotes, contain quotes, or differ only in case. */
export const leftColumns: readonly RandomColumn[] = [
  { name: "id", kind: "int", declared: "bigint" },
  { name: "k", kind: "int", declared: "integer" },
  { name: 'amount "x"', kind: "decimal", declared: "numeric(12,2)" },
  { name: "price", kind: "float", declared: "double precision" },
  { name: "Größe'; drop table l; --", kind: "text", declared: "text" },
  { name: "flag", kind: "bool", declared: "boolean" },
  { name: "select", kind: "date", declared: "date" },
  { name: "at", kind: "timestamp", declared: "timestamp" },
  { name: "instant", kind: "timestamptz", declared: "timestamptz" },
  { name: "big", kind: "big", declared: "bigint" },
  { name: "huge", kind: "huge", declared: "double precision" },
];

export const rightColumns: readonly RandomColumn[] = [
  { name: "rid", kind: "int", declared: "integer" },
  { name: "rname", kind: "text", declared: "varchar(50)" },
  { name: "rate", kind: "decimal", declared: "numeric(9,4)" },
  { name: "rk", kind: "int", declared: "integer" },
  { name: "rday", kind: "date", declared: "date" },
  { name: "wide", kind: "wide", declared: "numeric(18,2)" },
];

export function resourceOf(table: "l" | "r", columns: readonly RandomColumn[]): ResourceDetails {
  return {
    id: `res:${table}`,
    uri: `ada://any/db/main/${table}`,
    kind: "tabular",
    title: table,
    columns: columns.map(({ name, declared }, index) => ({
      name,
      type: declared,
      pk: index === 0 ? true : undefined, nn: index === 0 ? true : undefined,
    })),
  };
}

const texts = [
  ...hostileTexts.filter((text) => !text.includes("\n")),
  "a",
  "A",
  "b",
  "ab",
  "aB",
  "B",
  " x ",
  "10",
  "9",
  "ß",
  "Z",
  "z",
  "É",
  "KAB",
  "\u212aab",
  "\u0130K",
  "ΑΣ Σ",
  "Ж",
  "\u212b",
  "\u2126",
  "ẞ",
  "Ǆ",
  "Ÿ",
  "日",
  "Ü",
  "\uFFFD",
  "𝒳",
  "ǅ",
  "İ",
  "a\u0300",
  "[a]",
  "a^",
  "]",
  "100\\%",
];
const zonedDays = [
  "2024-03-31T00:30:00",
  "2024-03-31T01:30:00",
  "2024-10-27T00:30:00",
  "2024-10-27T01:30:00",
  "2023-12-31T23:30:00",
  "2024-02-29T12:00:00.125",
  "1969-12-31T23:59:59.999",
  "2024-11-03T05:30:00",
  "2024-11-03T06:30:00",
  "2011-12-30T10:30:00",
  "1880-06-01T00:00:00",
  "1066-10-14T09:00:00",
  "9900-02-28T12:00:00",
];
const bigs = ["9007199254740993", "9007199254740992", "-9007199254740993", "9223372036854775807", "-9223372036854775807"];
const wides = ["9999999999999999.99", "-9999999999999999.99", "9007199254740993.01", "9007199254740993.02", "0.10"];

/** A value of a column, or of a literal for it. */
export function randomValue(gen: GeneratorValue, kind: RandomKind, scale = 2): PlanValue {
  switch (kind) {
    case "int":
      return gen(() =>
        fc.oneof(fc.integer({ min: -3, max: 5 }), fc.constantFrom(0, 7, -100, 2_000_000_000, -2_000_000_000)),
      );
    case "big":
      return exactInt(gen(() => fc.constantFrom(...bigs, "0", "1"))) ?? null;
    case "wide":
      return gen(() => fc.constantFrom(...wides, "0.00", "5.00"));
    case "huge":
      return gen(() => fc.constantFrom(Infinity, -Infinity, 1e300, -1e300, 0.1, 0, 1));
    case "decimal": {
      const units = gen(() =>
        fc.oneof(fc.integer({ min: -500, max: 500 }), fc.constantFrom(0, 5, 50, 99_999_99, -12_345)),
      );
      const digits = String(Math.abs(units)).padStart(scale + 1, "0");
      return `${units < 0 ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
    }
    case "float":
      return gen(() =>
        fc.oneof(
          fc.integer({ min: -40, max: 40 }).map((eighths) => eighths / 8),
          fc.constantFrom(0, 2.5, -2.5, 1e6),
        ),
      );
    case "bool":
      return gen(fc.boolean);
    case "text":
      return gen(() => fc.constantFrom(...texts));
    case "date":
      return gen(() => fc.constantFrom(...zonedDays, "2024-01-31T00:00:00", "2000-01-01T00:00:00")).slice(0, 10);
    case "timestamp":
      return gen(() => fc.constantFrom(...zonedDays));
    case "timestamptz":
      return `${gen(() => fc.constantFrom(...zonedDays))}Z`;
  }
}

/** Rows with nulls and ties. Sometimes there are none. */
export function randomRows(gen: GeneratorValue, columns: readonly RandomColumn[]): RandomRow[] {
  const count = gen(() => fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 14 })));
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(
      columns.map(({ name, kind, declared }, index) => {
        if (index === 0) return [name, row];
        const isNull = gen(() => fc.integer({ min: 0, max: 4 })) === 0;
        return [name, isNull ? null : randomValue(gen, kind, declared.includes(",4") ? 4 : 2)];
      }),
    ),
  );
}
