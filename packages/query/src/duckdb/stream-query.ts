import { throwIfAborted } from "@ccl/core/async";
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { RunOptions } from "../connector/connector.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { valueError } from "../sql/decode-value.ts";
import { duckDbDecoder, type DuckDbModule } from "./duckdb-values.ts";

/** A connection, and the module that it is of. */
export interface Session {
  duckdb: DuckDbModule;
  connection: DuckDBConnection;
}

/** The rows of a query, in the plan's values. */
export async function* streamQuery(
  { duckdb, connection }: Session,
  query: { sql: string; parameters: readonly unknown[]; columns: readonly PlanColumn[] },
  options: RunOptions,
): AsyncGenerator<ColumnBatch, void> {
  const { columns } = query;
  const decoders = columns.map(({ type }) => duckDbDecoder(duckdb, type));
  const result = await connection.stream(query.sql, query.parameters.map(parameterOf));
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    throwIfAborted(options.signal, QueryError);
    const values = chunk.getColumns().map((column, index) => {
      const decode = decoders[index];
      const target = columns[index];
      return column.map((value) => {
        if (value === null) return null;
        const decoded = decode?.(value);
        if (decoded !== undefined || target === undefined) return decoded ?? null;
        throw valueError({ source: "DuckDB", column: target.name, type: target.type }, value);
      });
    });
    yield { rowCount: chunk.rowCount, columns: values };
  }
}

function parameterOf(value: unknown): DuckDBValue {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return value;
  throw new QueryError("invalid_options", `A ${typeof value} is no parameter of DuckDB.`);
}

/** The first line of what DuckDB says. */
export function engineError(error: unknown): unknown {
  if (QueryError.isInstance(error)) return error;
  const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  return new QueryError("engine_failed", `DuckDB: ${reason.slice(0, 300)}`, { cause: error });
}
