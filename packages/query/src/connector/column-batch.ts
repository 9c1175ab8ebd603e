/**
 * A result value. An int is a number, or a bigint if a number would be inexact. A decimal is a string of digits in
 * full scale. A date is `YYYY-MM-DD`, a timestamp `YYYY-MM-DDTHH:MM:SS` plus any fraction, a timestamptz the same
 * with `Z`.
 */
export type PlanValue = null | boolean | number | bigint | string;

/** Rows in columnar form: `columns[c][r]`. Each column has `rowCount` values. */
export interface ColumnBatch {
  rowCount: number;
  columns: PlanValue[][];
}

/** Returns the approximate size of a batch: 8 for a number, 1 for a bool or null, the UTF-16 length for text. */
export function batchBytes({ columns }: ColumnBatch): number {
  let bytes = 0;
  for (const column of columns) for (const value of column) bytes += valueBytes(value);
  return bytes;
}

function valueBytes(value: PlanValue): number {
  if (typeof value === "string") return value.length;
  return typeof value === "number" || typeof value === "bigint" ? 8 : 1;
}
