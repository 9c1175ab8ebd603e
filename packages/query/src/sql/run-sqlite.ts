import { throwIfAborted } from "@ccl/core/async";
import type { SqliteDatabase, SqliteValue } from "@ccl/sql";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { RunOptions } from "../connector/connector.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { rowDecoder } from "./batch-rows.ts";
import { sqliteDecoder } from "../connector/decode-value.ts";

/** A compiled query. */
export interface SqlWork {
  /** The source's name, for messages. */
  name: string;
  sql: string;
  parameters: readonly unknown[];
  columns: readonly PlanColumn[];
}

/** Interval at which the event loop gets a turn, because SQLite calls are synchronous. */
const turnMs = 20;

/** Reads in batches. The event loop gets a turn between some of them, so that aborts and timeouts take effect. */
export async function* runSqlite(
  database: SqliteDatabase,
  work: SqlWork,
  options: RunOptions,
): AsyncGenerator<ColumnBatch, void> {
  const decode = rowDecoder(work.name, work.columns, sqliteDecoder);
  for await (const rows of sqliteRows(database, work, options)) yield decode(rows);
}

/** Yields rows from the driver. A file is read in a separate process, which ends when the signal aborts. */
export async function* sqliteRows(
  database: SqliteDatabase,
  { name, sql, parameters }: Omit<SqlWork, "columns">,
  { signal, batchRows, timeoutMs = Infinity }: RunOptions,
): AsyncGenerator<unknown[][], void> {
  throwIfAborted(signal, QueryError);
  const values = parameters.map(sqliteValue);
  try {
    if (database.readApart !== undefined)
      return yield* database.readApart(sql, values, { batchRows, signal });
    const endMs = performance.now() + timeoutMs;
    let turnedAtMs = performance.now();
    let rows: unknown[][] = [];
    for (const row of database.prepare(sql, { bigints: true }).iterate(...values)) {
      rows.push(Object.values(row));
      if (rows.length < batchRows) continue;
      yield rows;
      rows = [];
      if (performance.now() - turnedAtMs > turnMs) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        turnedAtMs = performance.now();
      }
      throwIfAborted(signal, QueryError);
      if (performance.now() > endMs)
        throw new QueryError("limit_exceeded", `${name} took longer than ${timeoutMs} ms.`, {
          details: { limit: "timeoutMs" },
        });
    }
    if (rows.length > 0) yield rows;
  } catch (error) {
    throwIfAborted(signal, QueryError);
    throw error;
  }
}

function sqliteValue(value: unknown): SqliteValue {
  if (
    value === null ||
    typeof value === "number" ||
    typeof value === "bigint" ||
    typeof value === "string"
  )
    return value;
  throw new QueryError("invalid_options", `SQLite takes no ${typeof value} as a parameter.`);
}
