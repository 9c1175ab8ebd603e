import type { SqliteDatabase, SqliteRow, SqliteValue } from "@ccl/sql";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { RunOptions } from "../connector/connector.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { QueryError, throwIfAborted } from "../query-error.ts";
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
  throwIfAborted(signal);
  const toBatch = createRowBatcher(work.name, work.columns, sqliteDecoder);
  const statement = readingStatement(database, work.sql);
  held.add(statement);
  const rows = statement.iterate(...work.parameters.map(sqliteValue));
  const endMs = timeoutMs === undefined ? Infinity : performance.now() + timeoutMs;
  let turnedAtMs = performance.now();
  try {
    for (let chunk = take(rows, batchRows); chunk.length > 0; chunk = take(rows, batchRows)) {
      yield toBatch(chunk);
      if (performance.now() - turnedAtMs > turnMs) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        turnedAtMs = performance.now();
      }
      throwIfAborted(signal);
      if (performance.now() > endMs)
        throw new QueryError("limit_exceeded", `${work.name} took longer than ${timeoutMs} ms.`, {
          details: { limit: "timeoutMs" },
        });
      if (chunk.length < batchRows) return;
    }
  } finally {
    rows.return?.();
    held.delete(statement);
  }
}

interface ReadingStatement {
  iterate(...parameters: SqliteValue[]): Iterator<SqliteRow>;
  setReadBigInts?(wanted: boolean): void;
  safeIntegers?(wanted: boolean): void;
}

// @photostructure/sqlite finalises a statement once it is collected, though its iterator is still read: with awaits between
// two rows that happens, and then the process may end. So the statement is the driver's own, and is held on to.
const held = new Set<ReadingStatement>();

function readingStatement({ handle }: SqliteDatabase, text: string): ReadingStatement {
  const statement: unknown = handle.prepare(text);
  if (!isReadingStatement(statement)) throw new QueryError("invalid_options", "The handle is no SQLite database.");
  statement.safeIntegers?.(true);
  statement.setReadBigInts?.(true);
  return statement;
}

function isReadingStatement(value: unknown): value is ReadingStatement {
  return typeof value === "object" && value !== null && "iterate" in value && typeof value.iterate === "function";
}

function take(rows: Iterator<SqliteRow>, count: number): SqliteRow[] {
  const chunk: SqliteRow[] = [];
  while (chunk.length < count) {
    const next = rows.next();
    if (next.done === true) break;
    chunk.push(next.value);
  }
  return chunk;
}

function sqliteValue(value: unknown): SqliteValue {
  if (value === null || typeof value === "number" || typeof value === "bigint" || typeof value === "string")
    return value;
  throw new QueryError("invalid_options", `A ${typeof value} is no parameter of SQLite.`);
}
