/**
 * A value of a result: int as a number, or a bigint where no number is exact; decimal as digits with all of its scale;
 * date `YYYY-MM-DD`; timestamp `YYYY-MM-DDTHH:MM:SS` and a fraction where it has one; timestamptz the same with `Z`.
 */
export type PlanValue = null | boolean | number | bigint | string;

/** Rows as they travel: `columns[c][r]`, each column of `rowCount` values. */
export interface ColumnBatch {
  rowCount: number;
  columns: PlanValue[][];
}

/** About how many bytes a batch holds: 8 for a number, 1 for a bool or null, and the UTF-16 length of a text. */
export function batchBytes({ columns }: ColumnBatch): number {
  let bytes = 0;
  for (const column of columns) for (const value of column) bytes += valueBytes(value);
  return bytes;
}

function valueBytes(value: PlanValue): number {
  if (typeof value === "string") return value.length;
  return typeof value === "number" || typeof value === "bigint" ? 8 : 1;
}
