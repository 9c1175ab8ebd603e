import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { valueError, type ValueDecoder } from "./decode-value.ts";

/** A reader of rows as a SQL driver gives them, under the names `o0`, `o1`, ... */
export function createRowBatcher(
  source: string,
  columns: readonly PlanColumn[],
  decoderOf: (type: PlanColumn["type"]) => ValueDecoder,
): (rows: readonly Readonly<Record<string, unknown>>[]) => ColumnBatch {
  const readers = columns.map((column, index) => {
    const decode = decoderOf(column.type);
    const key = `o${index}`;
    return (row: Readonly<Record<string, unknown>>): PlanValue => {
      const value = row[key];
      if (value === null || value === undefined) return null;
      const decoded = decode(value);
      if (decoded !== undefined) return decoded;
      throw valueError({ source, column: column.name, type: column.type }, value);
    };
  });
  return (rows) => ({ rowCount: rows.length, columns: readers.map((read) => rows.map(read)) });
}
