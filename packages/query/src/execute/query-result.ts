import type { Issue } from "@ccl/core";
import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";

/** A row by column name. */
export type PlanRow = Record<string, PlanValue>;

/** What a source returned. */
export interface SourceStatistics {
  connector: string;
  /** The plan's scan, or the resource that a statement reads. */
  steps: string[];
  rows: number;
  bytes: number;
  durationMs: number;
}

/** What a query used. Complete once its rows are read. */
export interface QueryStatistics {
  sources: SourceStatistics[];
  /** Rows of the result. */
  rows: number;
  bytes: number;
  durationMs: number;
  /** Absent if the plan only reads rows of one source. */
  engine?: string | undefined;
}

/**
 * A result that can be read once: as batches, as rows, or all at once. Leaving a loop early stops
 * the work at the sources.
 */
export interface QueryResult {
  columns: PlanColumn[];
  warnings: Issue[];
  batches: AsyncIterable<ColumnBatch>;
  rows(): AsyncIterable<PlanRow>;
  all(): Promise<PlanRow[]>;
  statistics(): QueryStatistics;
  /** Stops a result that was not read, or not to its end. */
  close(): Promise<void>;
}

/** Yields the rows of batches. A column may have the name of an `Object` member. */
export async function* rowsOf(
  batches: AsyncIterable<ColumnBatch>,
  columns: readonly PlanColumn[],
): AsyncGenerator<PlanRow, void> {
  const toRows = rowBuilder(columns);
  for await (const batch of batches) yield* toRows(batch);
}

/** Builds the rows of a batch. */
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
