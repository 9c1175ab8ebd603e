import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import { valueError, type ValueDecoder } from "../connector/decode-value.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";

/**
 * Creates a decoder for a column's values, including nulls. @throws QueryError `value_invalid` for a value that does
 * not match the column's type
 */
export function strictDecoder(
  source: string,
  { name: column, type }: PlanColumn,
  decode: ValueDecoder,
): (value: unknown) => PlanValue {
  return (value) => {
    if (value === null || value === undefined) return null;
    const decoded = decode(value);
    if (decoded === undefined) throw valueError({ source, column, type }, value);
    return decoded;
  };
}

/** Creates a function that converts a SQL driver's rows to batches. Row values are in column order. */
export function rowDecoder(
  source: string,
  columns: readonly PlanColumn[],
  decoderOf: (type: PlanColumn["type"]) => ValueDecoder,
): (rows: readonly (readonly unknown[])[]) => ColumnBatch {
  const decoders = columns.map((column) => strictDecoder(source, column, decoderOf(column.type)));
  return (rows) => ({
    rowCount: rows.length,
    columns: decoders.map((decode, index) => rows.map((row) => decode(row[index]))),
  });
}
