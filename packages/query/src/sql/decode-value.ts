import { canonicalDate, canonicalTimestamp } from "../plan/canonical-value.ts";
import { typeName, type DataType } from "../plan/data-type.ts";
import type { PlanValue } from "../connector/column-batch.ts";
import { QueryError } from "../query-error.ts";

/** A value of a driver as the plan's; undefined where it is none of the type. */
export type ValueDecoder = (value: unknown) => PlanValue | undefined;

/** A whole number as a number where that is exact. */
export function exactInt(value: unknown): number | bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value === "string" && /^-?\d+$/.test(value)) return exactInt(BigInt(value));
  if (typeof value !== "bigint") return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Digits of a decimal with all of its scale, of a whole number of its last digit. */
export function scaledText(value: bigint, scale: number): string {
  if (scale === 0) return String(value);
  const sign = value < 0n ? "-" : "";
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Digits of a decimal with all of its scale, of digits with less or with zeros more; undefined where some would be lost. */
export function decimalText(text: string, scale: number): string | undefined {
  const parts = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(text);
  if (parts === null) return undefined;
  const [, sign = "", whole = "", fraction = ""] = parts;
  if (/[1-9]/.test(fraction.slice(scale))) return undefined;
  const value = BigInt(whole + fraction.slice(0, scale).padEnd(scale, "0"));
  return scaledText(sign === "-" ? -value : value, scale);
}

/** A time of a database's ISO text. */
export function timeText(value: unknown, kind: "timestamp" | "timestamptz"): string | undefined {
  return typeof value === "string" ? canonicalTimestamp(value, kind) : undefined;
}

/** What PostgreSQL's clients give. */
export function postgresDecoder(type: DataType): ValueDecoder {
  switch (type.kind) {
    case "int":
      return exactInt;
    case "decimal":
      return (value) =>
        typeof value === "string" || typeof value === "number"
          ? decimalText(String(value), type.scale)
          : undefined;
    case "float":
      return (value) => (typeof value === "string" ? Number(value) : plainNumber(value));
    case "bool":
      return (value) => (typeof value === "boolean" ? value : undefined);
    default:
      return textDecoder(type.kind);
  }
}

/** What SQLite's drivers give, whole numbers as bigints. */
export function sqliteDecoder(type: DataType): ValueDecoder {
  switch (type.kind) {
    case "int":
      return exactInt;
    case "decimal":
      return (value) =>
        typeof value === "string"
          ? decimalText(value, type.scale)
          : typeof value === "bigint"
            ? scaledText(value, type.scale)
            : undefined;
    case "float":
      return (value) => (typeof value === "bigint" ? Number(value) : plainNumber(value));
    case "bool":
      return (value) => (value === 0n ? false : value === 1n ? true : undefined);
    case "timestamptz":
      return (value) => timeText(typeof value === "string" ? `${value}Z` : value, "timestamptz");
    default:
      return textDecoder(type.kind);
  }
}

function textDecoder(kind: "text" | "date" | "timestamp" | "timestamptz"): ValueDecoder {
  if (kind === "text") return (value) => (typeof value === "string" ? value : undefined);
  if (kind === "date")
    return (value) => (typeof value === "string" ? canonicalDate(value) : undefined);
  return (value) => timeText(value, kind);
}

function plainNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value + 0 : undefined;
}

/** The error for a value that its column's type does not have. Says what kind of value it is, never the value. */
export function valueError(
  at: { source: string; column: string; type: DataType },
  value: unknown,
): QueryError {
  const message = `${at.source} gave a value (${typeof value}) for ${JSON.stringify(at.column)} that is no ${typeName(at.type)}; does the catalog still fit the source?`;
  return new QueryError("value_invalid", message, {
    details: { column: at.column, type: typeName(at.type) },
  });
}
