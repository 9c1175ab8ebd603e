import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { valueError, type ValueDecoder } from "../connector/decode-value.ts";

/** Builds batches from rows of a SQL driver. */
export interface RowBatcher {
  /** Rows added since the last batch. */
  readonly rowCount: number;
  /** Adds one row, with values in column order. @throws QueryError `value_invalid` */
  add(values: readonly unknown[]): void;
  /** Returns the added rows as a batch. */
  take(): ColumnBatch;
}

/** A batcher for rows of these columns. */
export function createRowBatcher(
  source: string,
  columns: readonly PlanColumn[],
  decoderOf: (type: PlanColumn["type"]) => ValueDecoder,
): RowBatcher {
  const decoders = columns.map(({ type }) => decoderOf(type));
  const empty = (): PlanValue[][] => columns.map(() => []);
  let batch: ColumnBatch = { rowCount: 0, columns: empty() };
  const decoded = (value: unknown, index: number): PlanValue => {
    if (value === null || value === undefined) return null;
    const known = decoders[index]?.(value);
    const column = columns[index];
    if (known === undefined && column !== undefined)
      throw valueError({ source, column: column.name, type: column.type }, value);
    return known ?? null;
  };
  return {
    get rowCount() {
      return batch.rowCount;
    },
    add(values) {
      for (let index = 0; index < batch.columns.length; index++)
        batch.columns[index]?.push(decoded(values[index], index));
      batch.rowCount += 1;
    },
    take() {
      const full = batch;
      batch = { rowCount: 0, columns: empty() };
      return full;
    },
  };
}
