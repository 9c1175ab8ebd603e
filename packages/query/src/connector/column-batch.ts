/**
 * A result value. An int is a number, or a bigint if a number would not be exact. A decimal is its digits in full
 * scale. A date is `YYYY-MM-DD`, a timestamp `YYYY-MM-DDTHH:MM:SS` plus any fraction, a timestamptz the same with `Z`.
 */
export type PlanValue = null | boolean | number | bigint | string;

/** Rows in columnar form: `columns[c][r]`, `rowCount` values in each column. */
export interface ColumnBatch {
  rowCount: number;
  columns: PlanValue[][];
}

/** Approximate size of a batch: 8 for a number, 1 for a bool or null, the UTF-16 length for a text. */
export function batchBytes({ columns }: ColumnBatch): number {
  let bytes = 0;
  for (const column of columns) for (const value of column) bytes += valueBytes(value);
  return bytes;
}

function valueBytes(value: PlanValue): number {
  if (typeof value === "string") return value.length;
  return typeof value === "number" || typeof value === "bigint" ? 8 : 1;
}
