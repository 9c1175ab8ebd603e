import { migrate, transaction, type SqliteDatabase, type SqliteValue } from "@ccl/sql";
import { requireObject } from "../fit/require-that.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import {
  createSqlSessionStore,
  storeErrorOf,
} from "../session-store/sql/create-sql-session-store.ts";
import { createTables, type Row, type Steps } from "../session-store/sql/session-tables.ts";

/** The database of the sessions, as `openSqlite` of @ccl/sql gives it; it stays open. */
export interface SqliteSessionStoreOptions {
  database: SqliteDatabase;
  signal?: AbortSignal | undefined;
}

/**
 * Sessions in SQLite, in tables that are created where missing. Any number of processes may have the file open.
 * @throws ContextCompilerError `invalid_options`, `store_failed`, `store_damaged` or `aborted`
 */
export async function openSqliteSessionStore(
  options: SqliteSessionStoreOptions,
): Promise<SessionStore> {
  requireObject("What a session store is made of", options);
  const { database, signal } = options;
  requireObject("database", database, "prepare");
  const migrations = [{ version: 1, up: createTables("INTEGER PRIMARY KEY AUTOINCREMENT") }];
  try {
    await migrate(database, {
      component: "session_store",
      migrations,
      signal,
    });
  } catch (error) {
    throw storeErrorOf(error);
  }
  return createSqlSessionStore((steps, options) =>
    transaction(database, (on) => runSteps(on, steps()), options),
  );
}

/** In one go, so that nothing else on the connection comes between. */
function runSteps<Value>(database: SqliteDatabase, steps: Steps<Value>): Value {
  let step = steps.next([]);
  while (step.done !== true) {
    const { sql, parameters, hasRows } = step.value;
    step = steps.next(rowsOf(database, sql, { parameters, hasRows }));
  }
  return step.value;
}

function rowsOf(
  database: SqliteDatabase,
  sql: string,
  { parameters, hasRows }: { parameters: readonly SqliteValue[]; hasRows: boolean },
): Row[] {
  const statement = database.prepare(sql);
  if (hasRows) return statement.all(...parameters);
  statement.run(...parameters);
  return [];
}
