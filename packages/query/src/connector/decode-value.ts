import { canonicalTime } from "../plan/canonical-value.ts";
import { typeName, type DataType, type TimeKind } from "../plan/data-type.ts";
import type { PlanValue } from "./column-batch.ts";
import { QueryError } from "../query-error.ts";

/** Converts a driver's value to a plan value. Returns undefined if it does not have the type. */
export type ValueDecoder = (value: unknown) => PlanValue | undefined;

/** Returns a whole number as a number if that is exact, otherwise as a bigint. */
export function exactInt(value: unknown): number | bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value === "string" && /^-?\d+$/.test(value)) return exactInt(BigInt(value));
  if (typeof value !== "bigint") return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Converts the digits of a decimal to an integer in units of its last digit. */
export function scaledInt(text: string, scale: number): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.slice(0, scale).padEnd(scale, "0"));
}

/** Converts a decimal stored as a scaled integer to its digits. */
export function scaledText(value: bigint, scale: number): string {
  if (scale === 0) return String(value);
  const sign = value < 0n ? "-" : "";
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Formats a decimal with exactly `scale` digits after the point. Returns undefined if that would lose digits. */
export function decimalText(text: string, scale: number): string | undefined {
  const parts = /^(?:\+(?!-))?(-?\d+(?:\.(\d*))?)$/.exec(text);
  const [, digits = "", fraction = ""] = parts ?? [];
  if (parts === null || /[1-9]/.test(fraction.slice(scale))) return undefined;
  return scaledText(scaledInt(digits, scale), scale);
}

/** Converts a database's ISO text to a date or time in canonical form. */
export function timeText(value: unknown, kind: TimeKind): string | undefined {
  return typeof value === "string" ? canonicalTime(value, kind) : undefined;
}

/** Creates a decoder for values from PostgreSQL clients. */
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

/** Creates a decoder for values from SQLite drivers, which return whole numbers as bigints. */
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

function textDecoder(kind: TimeKind | "text"): ValueDecoder {
  return kind === "text"
    ? (value) => (typeof value === "string" ? value : undefined)
    : (value) => timeText(value, kind);
}

function plainNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value + 0 : undefined;
}

/**
 * Creates the error for a value that does not match its column's type. It names the kind of value, never the
 * value.
 */
export function valueError(
  at: { source: string; column: string; type: DataType },
  value: unknown,
): QueryError {
  const message = `${at.source} returned a ${typeof value} for ${JSON.stringify(at.column)} that is not of type ${typeName(at.type)}; does the catalog still fit the source?`;
  return new QueryError("value_invalid", message, {
    details: { column: at.column, type: typeName(at.type) },
  });
}
