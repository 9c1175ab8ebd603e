import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";
import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import { QueryError } from "../query-error.ts";
import type { DuckDbModule } from "./duckdb-values.ts";

/** A connection and its module. */
export interface Session {
  duckdb: DuckDbModule;
  connection: DuckDBConnection;
}

/** Yields a result's chunks as batches. */
export async function* chunksOf(
  fetchChunk: () => Promise<DuckDBDataChunk | null>,
  decoders: readonly ((value: DuckDBValue) => PlanValue)[],
): AsyncGenerator<ColumnBatch, void> {
  for (;;) {
    const chunk = await fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    const columns = chunk
      .getColumns()
      .map((column, index) =>
        column.map((value) => (value === null ? null : (decoders[index]?.(value) ?? null))),
      );
    yield { rowCount: chunk.rowCount, columns };
  }
}

/** Wraps the first line of a DuckDB error in a QueryError. */
export function engineError(error: unknown): unknown {
  if (QueryError.isInstance(error)) return error;
  const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  if (/'[+-]\((?:DATE, BIGINT|BIGINT, DATE)\)'/.test(reason)) {
    const message =
      "A computed number of days is added to a date; write day + cast(number as integer).";
    return new QueryError("engine_failed", message, { cause: error });
  }
  return new QueryError("engine_failed", `DuckDB: ${reason.slice(0, 300)}`, { cause: error });
}
