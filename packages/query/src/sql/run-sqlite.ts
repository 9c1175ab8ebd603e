import { throwIfAborted } from "@ccl/core/async";
import type { ReadApart, SqliteDatabase, SqliteValue } from "@ccl/sql";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { RunOptions } from "../connector/connector.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { createRowBatcher } from "./batch-rows.ts";
import { sqliteDecoder } from "./decode-value.ts";

/** A compiled query. */
export interface SqlWork {
  /** The source's name, for messages. */
  name: string;
  sql: string;
  parameters: readonly unknown[];
  columns: readonly PlanColumn[];
}

/** Others have their turn of the event loop this often: SQLite's calls are synchronous. */
const turnMs = 20;

/** Reads batch by batch; the event loop turns between some of them, so that an abort and a timeout are seen. */
export async function* runSqlite(
  database: SqliteDatabase,
  work: SqlWork,
  { signal, batchRows, timeoutMs }: RunOptions,
): AsyncGenerator<ColumnBatch, void> {
  throwIfAborted(signal, QueryError);
  if (database.readApart !== undefined)
    return yield* runApart(database.readApart, work, { signal, batchRows, timeoutMs });
  const endMs = timeoutMs === undefined ? Infinity : performance.now() + timeoutMs;
  let turnedAtMs = performance.now();
  for (const batch of readBatches(database, work, batchRows)) {
    yield batch;
    if (performance.now() - turnedAtMs > turnMs) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      turnedAtMs = performance.now();
    }
    throwIfAborted(signal, QueryError);
    if (performance.now() > endMs)
      throw new QueryError("limit_exceeded", `${work.name} took longer than ${timeoutMs} ms.`, {
        details: { limit: "timeoutMs" },
      });
  }
}

/** A file is read in a process of its own, which ends with the signal. */
async function* runApart(
  readApart: ReadApart,
  work: SqlWork,
  { signal, batchRows }: RunOptions,
): AsyncGenerator<ColumnBatch, void> {
  const batcher = createRowBatcher(work.name, work.columns, sqliteDecoder);
  const parameters = work.parameters.map(sqliteValue);
  try {
    for await (const rows of readApart(work.sql, parameters, { batchRows, signal })) {
      for (const row of rows) batcher.add(row);
      yield batcher.take();
    }
  } catch (error) {
    throwIfAborted(signal, QueryError);
    throw error;
  }
}

function* readBatches(
  database: SqliteDatabase,
  work: SqlWork,
  batchRows: number,
): Generator<ColumnBatch, void> {
  const batcher = createRowBatcher(work.name, work.columns, sqliteDecoder);
  const parameters = work.parameters.map(sqliteValue);
  for (const row of database.prepare(work.sql, { bigints: true }).iterate(...parameters)) {
    batcher.add(Object.values(row));
    if (batcher.rowCount >= batchRows) yield batcher.take();
  }
  if (batcher.rowCount > 0) yield batcher.take();
}

function sqliteValue(value: unknown): SqliteValue {
  if (
    value === null ||
    typeof value === "number" ||
    typeof value === "bigint" ||
    typeof value === "string"
  )
    return value;
  throw new QueryError("invalid_options", `A ${typeof value} is no parameter of SQLite.`);
}
