import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import { valueError, type ValueDecoder } from "../connector/decode-value.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";

/**
 * Creates a function that converts a SQL driver's rows to batches. Row values are in column order. The function
 * throws QueryError `value_invalid` for a value that does not match its column's type.
 */
export function rowDecoder(
  source: string,
  columns: readonly PlanColumn[],
  decoderOf: (type: PlanColumn["type"]) => ValueDecoder,
): (rows: readonly (readonly unknown[])[]) => ColumnBatch {
  const decoders = columns.map(({ name: column, type }) => {
    const decode = decoderOf(type);
    return (value: unknown): PlanValue => {
      if (value === null || value === undefined) return null;
      const known = decode(value);
      if (known === undefined) throw valueError({ source, column, type }, value);
      return known;
    };
  });
  return (rows) => ({
    rowCount: rows.length,
    columns: decoders.map((decode, index) => rows.map((row) => decode(row[index]))),
  });
}
