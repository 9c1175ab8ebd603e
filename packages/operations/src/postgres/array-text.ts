import type { SqlValue } from "../sql/statement.ts";

/** PostgreSQL's text of an array: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO */
export function arrayOf(values: readonly SqlValue[]): string {
  return `{${values.map(elementOf).join(",")}}`;
}

// Where JSON escapes more than quotes and backslashes. What is stored is mostly JSON itself, which has none of these.
const escapedByJson = /[^ -\ud7ff\ue000-\uffff]/;

/** JSON quotes as an array does, four times as fast as a replacement. */
function elementOf(value: SqlValue): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  return escapedByJson.test(value)
    ? `"${value.replaceAll(/[\\"]/g, "\\$&")}"`
    : JSON.stringify(value);
}
