/** Type of a value in a plan. `int` has 64 bits. `timestamp` is wall-clock time. `timestamptz` is an instant. */
export type DataType =
  | { kind: "bool" | "int" | "float" | "text" | "date" | "timestamp" | "timestamptz" }
  | DecimalType;

/** An exact number with `precision` digits in total (1..38), `scale` of them after the point. */
export interface DecimalType {
  kind: "decimal";
  precision: number;
  scale: number;
}

/** The kind of a type, without a decimal's digits. */
export type DataKind = DataType["kind"];

/** Maximum number of digits in a decimal. */
export const maxPrecision = 38;

/** Type of a numeric column that does not declare its digits. */
const looseDecimal: DecimalType = { kind: "decimal", precision: maxPrecision, scale: 9 };

/** All kinds. */
const dataKinds: readonly DataKind[] = [
  "bool",
  "int",
  "float",
  "decimal",
  "text",
  "date",
  "timestamp",
  "timestamptz",
];

/** Returns the type as written in plans, e.g. `int` or `decimal(12,2)`. */
export function typeName(type: DataType): string {
  return type.kind === "decimal" ? `decimal(${type.precision},${type.scale})` : type.kind;
}

/** Parses the output of `typeName`. Returns undefined for any other text. */
export function parseDataType(text: string): DataType | undefined {
  const plain = text.trim().toLowerCase();
  if (isPlainKind(plain)) return { kind: plain };
  const digits = /^decimal\s*\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)$/.exec(plain);
  if (digits === null) return undefined;
  return decimalOf(Number(digits[1]), Number(digits[2]));
}

/** True if both types have the same kind and digits. */
export function isSameType(left: DataType, right: DataType): boolean {
  return typeName(left) === typeName(right);
}

/** True for int, decimal and float. */
export function isNumeric(type: DataType): boolean {
  return type.kind === "int" || type.kind === "decimal" || type.kind === "float";
}

function isPlainKind(text: string): text is Exclude<DataKind, "decimal"> {
  return text !== "decimal" && dataKinds.some((kind) => kind === text);
}

function decimalOf(precision: number, scale: number): DecimalType | undefined {
  if (precision < 1 || precision > maxPrecision || scale > precision) return undefined;
  return { kind: "decimal", precision, scale };
}

const columnKinds: readonly [pattern: RegExp, kind: Exclude<DataKind, "decimal">][] = [
  [
    /^(?:u?(?:tiny|small|medium|big)?int(?:eger)?\d*|(?:small|big)?serial\d*|long|u?hugeint)$/,
    "int",
  ],
  [/^(?:real|float\d*|double(?: precision)?|number)$/, "float"],
  [/^bool(?:ean)?$/, "bool"],
  [/^date$/, "date"],
  [/^(?:timestamp_?tz|timestamp with time zone|datetimeoffset|instant|date-time)$/, "timestamptz"],
  [/^(?:timestamp(?: without time zone)?|datetime\d*|ts|timestamp_n?[mu]?s)$/, "timestamp"],
];

/** Returns the type of a catalogued column from its database type name. Unknown types are read as text. */
export function columnDataType(declared: string | undefined): DataType {
  const text = (declared ?? "text").trim().toLowerCase().slice(0, 100);
  const name = text
    .replace(/\([^)]*\)/g, "")
    .replace(/ +/g, " ")
    .trim();
  const found = columnKinds.find(([pattern]) => pattern.test(name));
  if (found !== undefined) return { kind: found[1] };
  if (!/^(?:numeric|decimal|dec|num|money)$/.test(name)) return { kind: "text" };
  const digits = /\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/.exec(text);
  if (digits === null) return looseDecimal;
  return decimalOf(Number(digits[1]), Number(digits[2] ?? 0)) ?? looseDecimal;
}
