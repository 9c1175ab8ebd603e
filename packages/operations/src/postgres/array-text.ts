import type { SqlValue } from "../sql/statement.ts";

/** PostgreSQL's text of an array: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO */
export function arrayOf(values: readonly SqlValue[]): string {
  return `{${values.map(elementOf).join(",")}}`;
}

function elementOf(value: SqlValue): string {
  if (value === null) return "NULL";
  return typeof value === "number" ? String(value) : `"${value.replaceAll(/[\\"]/g, "\\$&")}"`;
}
