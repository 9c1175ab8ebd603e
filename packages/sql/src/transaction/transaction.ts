import type { PostgresClient, PostgresSession } from "../postgres/postgres-client.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { postgresTransaction } from "./postgres-transaction.ts";
import { sqliteTransaction } from "./sqlite-transaction.ts";
import type { TransactionAction, TransactionOptions } from "./transaction-options.ts";

/**
 * Runs an action in a transaction. Resolves to its value once committed, or rejects with its error once everything
 * is rolled back. On SQLite, transactions on one handle run one at a time, and a synchronous action is not
 * interrupted. While an action awaits, statements on the database itself also belong to its transaction. A
 * transaction on the action's connection is a savepoint. Awaiting one on the database itself inside the action
 * causes a deadlock.
 * @throws SqlError `busy`, `disk_full`, `connection_failed`, `aborted`, ..., and any error of the action
 */
export function transaction<T>(
  database: SqliteDatabase,
  action: TransactionAction<SqliteDatabase, T>,
  options?: TransactionOptions,
): Promise<T>;
/**
 * On PostgreSQL, the transaction runs on a connection from the pool, on the client's own connection once it is
 * free, or on the one that PGlite passes.
 */
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

/** True for a SQLite database, false for a PostgreSQL client. */
export function isSqliteDatabase(
  target: SqliteDatabase | PostgresClient | PostgresSession,
): target is SqliteDatabase {
  return "prepare" in target && "handle" in target;
}
