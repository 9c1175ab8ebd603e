import type { Issue } from "@ccl/core";
import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import type { PhysicalPlan } from "../physical/plan-physical.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";

/** A row by column name. */
export type PlanRow = Record<string, PlanValue>;

/** What a source did. */
export interface SourceStatistics {
  connector: string;
  /** The plan's steps that it did. */
  steps: string[];
  rows: number;
  bytes: number;
  durationMs: number;
}

/** What a query took; complete once its rows are read. */
export interface QueryStatistics {
  sources: SourceStatistics[];
  /** Of the result. */
  rows: number;
  bytes: number;
  durationMs: number;
  /** Absent where the sources did all of it. */
  engine?: string | undefined;
}

/** A result, read once: by batches, by rows, or all at once. Leaving a loop early ends the work at the sources. */
export interface QueryResult {
  columns: PlanColumn[];
  warnings: Issue[];
  physical: PhysicalPlan;
  batches: AsyncIterable<ColumnBatch>;
  rows(): AsyncIterable<PlanRow>;
  all(): Promise<PlanRow[]>;
  statistics(): QueryStatistics;
  /** Ends a result that is not read, or not to its end. */
  close(): Promise<void>;
}

/** Rows of batches. A column named like a member of every object is a column like others. */
export async function* rowsOf(
  batches: AsyncIterable<ColumnBatch>,
  columns: readonly PlanColumn[],
): AsyncGenerator<PlanRow, void> {
  const toRows = rowBuilder(columns);
  for await (const batch of batches) yield* toRows(batch);
}

/** Makes the rows of a batch. */
export function rowBuilder(
  columns: readonly Pick<PlanColumn, "name">[],
): (batch: ColumnBatch) => PlanRow[] {
  const names = columns.map(({ name }) => name);
  // A copy has every field from the start, also one named like the prototype, which assigning would not make.
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
