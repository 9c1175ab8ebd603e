import type { Issue } from "@ccl/core";
import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";

/** A row by column name. */
export type PlanRow = Record<string, PlanValue>;

/** Statistics about what a source returned. */
export interface SourceStatistics {
  connector: string;
  /** The scans of the plan, or the resource that a statement reads. */
  steps: string[];
  rows: number;
  bytes: number;
  durationMs: number;
}

/** Statistics about a query. Complete once all rows are read. */
export interface QueryStatistics {
  sources: SourceStatistics[];
  /** Number of rows in the result. */
  rows: number;
  bytes: number;
  durationMs: number;
  /** Absent if the plan only reads rows from one source. */
  engine?: string | undefined;
}

/**
 * A result that can be read only once: as batches, as rows, or all at once. Leaving a loop early stops the
 * sources.
 */
export interface QueryResult {
  columns: PlanColumn[];
  warnings: Issue[];
  batches: AsyncIterable<ColumnBatch>;
  rows(): AsyncIterable<PlanRow>;
  all(): Promise<PlanRow[]>;
  statistics(): QueryStatistics;
  /** Stops a result that was not read to its end. */
  close(): Promise<void>;
}

/** Yields the rows of batches. A column may be named like a member of `Object`. */
export async function* rowsOf(
  batches: AsyncIterable<ColumnBatch>,
  columns: readonly PlanColumn[],
): AsyncGenerator<PlanRow, void> {
  const toRows = rowBuilder(columns);
  for await (const batch of batches) yield* toRows(batch);
}

/** Creates a function that builds rows from a batch. */
export function rowBuilder(
  columns: readonly Pick<PlanColumn, "name">[],
): (batch: ColumnBatch) => PlanRow[] {
  const names = columns.map(({ name }) => name);
  // A copy defines every field, even `__proto__`, which an assignment would not create.
  const empty: PlanRow = Object.fromEntries(names.map((name) => [name, null]));
  return ({ rowCount, columns: values }) => {
    const rows = Array.from({ length: rowCount }, (): PlanRow => ({ ...empty }));
    for (const [index, name] of names.entries()) {
      const column = values[index] ?? [];
      for (const [at, row] of rows.entries()) row[name] = column[at] ?? null;
    }
    return rows;
  };
}
