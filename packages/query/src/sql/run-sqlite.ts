import { throwIfAborted } from "@ccl/core/async";
import type { ReadApart, SqliteDatabase, SqliteRow, SqliteValue } from "@ccl/sql";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { RunOptions } from "../connector/connector.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { createRowBatcher, type RowBatcher } from "./batch-rows.ts";
import { sqliteDecoder } from "./decode-value.ts";
import { collectorOf, type RowCollector } from "./sqlite-collector.ts";

/** A compiled query. */
export interface SqlWork {
  /** The source's name, for messages. */
  name: string;
  sql: string;
  parameters: readonly unknown[];
  columns: readonly PlanColumn[];
  /** How its rows end: in an order of all of them, with a limit, or neither. */
  end: "ordered" | "limited" | "open";
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

function readBatches(
  database: SqliteDatabase,
  work: SqlWork,
  batchRows: number,
): Iterable<ColumnBatch> {
  const batcher = createRowBatcher(work.name, work.columns, sqliteDecoder);
  const collector = collectorOf(database.handle, work.columns.length);
  return collector === undefined
    ? readRows(database, work, { batcher, batchRows })
    : readCollected(database, work, { batcher, batchRows, collector });
}

interface Reading {
  batcher: RowBatcher;
  batchRows: number;
}

/** A driver takes as long for an object as for ten values: so SQLite hands each row to a function, and a row out for each batch. */
function* readCollected(
  database: SqliteDatabase,
  work: SqlWork,
  { batcher, batchRows, collector }: Reading & { collector: RowCollector },
): Generator<ColumnBatch, void> {
  const values = work.columns.map((_, index) => `o${index}`).join(", ");
  const condition = `${collector.functionName}(${values})`;
  const rows = statementRows(database, collecting(work, condition), work);
  const isFull = (values: readonly unknown[]): boolean => {
    batcher.add(values);
    return batcher.rowCount >= batchRows;
  };
  try {
    while (collector.during(isFull, () => rows.next()).done !== true) yield batcher.take();
    if (batcher.rowCount > 0) yield batcher.take();
  } finally {
    rows.return?.();
  }
}

/** The inner query is never merged with the outer one, where the condition would come before the order and the limit. */
function collecting({ sql, end }: SqlWork, condition: string): string {
  // A limit that is none would have SQLite sort by a slower way.
  if (end === "ordered")
    return `with rows_in_order as materialized (${sql}) select 1 from rows_in_order where ${condition}`;
  return `select 1 from (${sql}${end === "limited" ? "" : " limit -1"}) where ${condition}`;
}

function* readRows(
  database: SqliteDatabase,
  work: SqlWork,
  { batcher, batchRows }: Reading,
): Generator<ColumnBatch, void> {
  for (const row of statementRows(database, work.sql, work)) {
    batcher.add(Object.values(row));
    if (batcher.rowCount >= batchRows) yield batcher.take();
  }
  if (batcher.rowCount > 0) yield batcher.take();
}

function statementRows(
  database: SqliteDatabase,
  text: string,
  { parameters }: SqlWork,
): IterableIterator<SqliteRow> {
  return database.prepare(text, { bigints: true }).iterate(...parameters.map(sqliteValue));
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
