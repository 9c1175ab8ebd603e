import type { PostgresClient, PostgresSession } from "../postgres/postgres-client.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { postgresTransaction } from "./postgres-transaction.ts";
import { sqliteTransaction } from "./sqlite-transaction.ts";
import type { TransactionAction, TransactionOptions } from "./transaction-options.ts";

/**
 * Runs an action in a transaction: its value once the commit is through, its error once all is undone. On SQLite the
 * transactions of one handle take turns, an action without a promise runs in one go, and statements on the database
 * itself, beside an action that awaits, belong to its transaction too. A transaction on what the action was given is a
 * savepoint; one on the database itself, awaited within the action, would wait for its own end.
 * @throws SqlError `busy`, `disk_full`, `connection_failed`, `aborted`, ..., and whatever the action throws
 */
export function transaction<T>(
  database: SqliteDatabase,
  action: TransactionAction<SqliteDatabase, T>,
  options?: TransactionOptions,
): Promise<T>;
/** On PostgreSQL: on a connection of the pool's, on the client's own in turns, or as PGlite lends it. */
export function transaction<T>(
  client: PostgresClient | PostgresSession,
  action: TransactionAction<PostgresSession, T>,
  options?: TransactionOptions,
): Promise<T>;
export function transaction<T>(
  target: SqliteDatabase | PostgresClient | PostgresSession,
  action: TransactionAction<never, T>,
  options: TransactionOptions = {},
): Promise<T> {
  if (isSqliteDatabase(target)) return sqliteTransaction(target, action, options);
  return postgresTransaction(target, action, options);
}

/** True for a database of SQLite, false for a client of PostgreSQL. */
export function isSqliteDatabase(
  target: SqliteDatabase | PostgresClient | PostgresSession,
): target is SqliteDatabase {
  return "prepare" in target && "handle" in target;
}
