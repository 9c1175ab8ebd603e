import type { SqlValue } from "../sql/statement.ts";

/** Formats an array as PostgreSQL text: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO */
export function arrayOf(values: readonly SqlValue[]): string {
  return `{${values.map(elementOf).join(",")}}`;
}

// Characters that JSON escapes, besides quotes and backslashes. Stored texts are usually JSON, which contains none of
// them.
const escapedByJson = /[^ -\ud7ff\ue000-\uffff]/;

/** JSON quotes texts as array elements are quoted, four times as fast as a replacement. */
function elementOf(value: SqlValue): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  return escapedByJson.test(value)
    ? `"${value.replaceAll(/[\\"]/g, "\\$&")}"`
    : JSON.stringify(value);
}
