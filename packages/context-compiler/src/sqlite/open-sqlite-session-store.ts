import { ContextCompilerError } from "../context-compiler-error.ts";
import { migrate, type SqliteDatabase, runSqlSteps, storeErrorOf } from "@ccl/sql";
import { requireObject } from "../fit/require-that.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { createSqlSessionStore } from "../session-store/sql/create-sql-session-store.ts";
import { createTables } from "../session-store/sql/session-tables.ts";

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
    throw storeErrorOf(error, "The session store", ContextCompilerError);
  }
  return createSqlSessionStore((steps, options) => runSqlSteps(database, steps, options));
}
