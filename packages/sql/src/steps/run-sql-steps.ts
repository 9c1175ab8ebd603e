import { throwIfAborted } from "@ccl/core/async";

import type { PostgresClient, PostgresSession } from "../postgres/postgres-client.ts";
import { SqlError } from "../sql-error.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { isSqliteDatabase, transaction } from "../transaction/transaction.ts";
import type { TransactionOptions } from "../transaction/transaction-options.ts";
import type { SqlRow, SqlStep, SqlSteps } from "./sql-steps.ts";

/**
 * Runs steps in one transaction. On SQLite, they run without interruption, so no other statement on the connection
 * can run in between.
 * @throws SqlError as `transaction` does, and any error of a step
 */
export function runSqlSteps<Value>(
  target: SqliteDatabase | PostgresClient,
  steps: () => SqlSteps<Value>,
  options: TransactionOptions = {},
): Promise<Value> {
  return isSqliteDatabase(target)
    ? transaction(target, (on) => runOnSqlite(on, steps(), options), options)
    : transaction(target, (on) => runOnPostgres(on, steps(), options), options);
}

function runOnSqlite<Value>(
  database: SqliteDatabase,
  steps: SqlSteps<Value>,
  { signal }: TransactionOptions,
): Value {
  let step = steps.next([]);
  while (step.done !== true) {
    throwIfAborted(signal, SqlError);
    step = steps.next(sqliteRows(database, step.value));
  }
  return step.value;
}

function sqliteRows(database: SqliteDatabase, { sql, parameters, inserted }: SqlStep): SqlRow[] {
  if (inserted !== undefined) {
    const marks = (inserted[0] ?? []).map(() => "?").join(", ");
    const statement = database.prepare(sql.replace("VALUES ROWS", `VALUES (${marks})`));
    for (const row of inserted) statement.run(...row);
    return [];
  }
  return database.prepare(sql).all(...parameters);
}

async function runOnPostgres<Value>(
  session: PostgresSession,
  steps: SqlSteps<Value>,
  { signal }: TransactionOptions,
): Promise<Value> {
  let step = steps.next([]);
  while (step.done !== true) {
    throwIfAborted(signal, SqlError);
    step = steps.next(await postgresRows(session, step.value));
  }
  return step.value;
}

const rowsAtOnce = 500;

async function postgresRows(
  session: PostgresSession,
  { sql, parameters, inserted }: SqlStep,
): Promise<SqlRow[]> {
  if (inserted === undefined) return session.query(numbered(sql), parameters);
  for (let start = 0; start < inserted.length; start += rowsAtOnce) {
    const rows = inserted.slice(start, start + rowsAtOnce);
    const marks = rows.map((row) => `(${row.map(() => "?").join(", ")})`).join(", ");
    await session.query(numbered(sql.replace("VALUES ROWS", `VALUES ${marks}`)), rows.flat());
  }
  return [];
}

/** Replaces `?` with `$1`, `$2`, ... */
function numbered(sql: string): string {
  let number = 0;
  return sql.replace(/\?/g, () => `$${(number += 1)}`);
}
