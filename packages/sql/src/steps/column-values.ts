import { SqlError } from "../sql-error.ts";
import type { SqlRow } from "./sql-steps.ts";

/**
 * Reads a column as text.
 * @throws SqlError `damaged`
 */
export function textIn(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw unexpectedValue(column, value);
}

/**
 * Reads a column as a number.
 * @throws SqlError `damaged`
 */
export function numberIn(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw unexpectedValue(column, value);
}

/** Reads a column as bytes. Returns undefined for null. @throws SqlError `damaged` */
export function bytesIn(row: SqlRow, column: string): Uint8Array | undefined {
  const value = row[column];
  if (value === null) return undefined;
  if (value instanceof Uint8Array) return value;
  throw unexpectedValue(column, value);
}

/** Parses the JSON in a column. Returns undefined for null. @throws SqlError `damaged` */
export function jsonIn<Value>(row: SqlRow, column: string): Value | undefined {
  if (row[column] === null) return undefined;
  try {
    return JSON.parse(textIn(row, column));
  } catch (error) {
    if (SqlError.isInstance(error)) throw error;
    throw new SqlError("damaged", `The stored ${column} is not JSON.`, { cause: error });
  }
}

/**
 * Parses the JSON in a column that is never null.
 * @throws SqlError `damaged`
 */
export function requiredJsonIn<Value>(row: SqlRow, column: string): Value {
  const value = jsonIn<Value>(row, column);
  if (value === undefined) throw unexpectedValue(column, null);
  return value;
}

function unexpectedValue(column: string, value: unknown): SqlError {
  const type = value === null ? "null" : typeof value;
  return new SqlError(
    "damaged",
    `The database returned a ${type} for the column ${column}; leave the client's type parsers as they are.`,
  );
}
