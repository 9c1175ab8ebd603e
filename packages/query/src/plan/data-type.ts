/** Kinds of dates and times. `timestamp` is wall-clock time. `timestamptz` is an instant. */
export const timeKinds = ["date", "timestamp", "timestamptz"] as const;

/** A kind of date or time. */
export type TimeKind = (typeof timeKinds)[number];

/** Type of a value in a plan. `int` has 64 bits. */
export type DataType = { kind: "bool" | "int" | "float" | "text" | TimeKind } | DecimalType;

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
const looseDecimal = decimalType(maxPrecision, 9);

const plainKinds = ["bool", "int", "float", "text", ...timeKinds] as const;

/** Returns the type as written in plans, e.g. `int` or `decimal(12,2)`. */
export function typeName(type: DataType): string {
  return type.kind === "decimal" ? `decimal(${type.precision},${type.scale})` : type.kind;
}

/** Parses the output of `typeName`. Returns undefined for any other text. */
export function parseDataType(text: string): DataType | undefined {
  const plain = text.trim().toLowerCase();
  const kind = plainKinds.find((known) => known === plain);
  if (kind !== undefined) return { kind };
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

/** True for dates and timestamps. */
export function isTime(type: DataType): type is { kind: TimeKind } {
  return timeKinds.some((kind) => kind === type.kind);
}

/** Creates a decimal type. Cuts the precision to the maximum. */
export function decimalType(precision: number, scale: number): DecimalType {
  return { kind: "decimal", precision: Math.min(precision, maxPrecision), scale };
}

function decimalOf(precision: number, scale: number): DecimalType | undefined {
  const isValid = precision > 0 && precision <= maxPrecision && scale <= precision;
  return isValid ? decimalType(precision, scale) : undefined;
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
