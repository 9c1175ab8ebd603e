import type { PostgresClient, PostgresSession } from "../postgres/postgres-client.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { postgresTransaction } from "./postgres-transaction.ts";
import { sqliteTransaction } from "./sqlite-transaction.ts";
import type { TransactionAction, TransactionOptions } from "./transaction-options.ts";

/**
 * Runs an action in a transaction. Resolves to its value once the commit is done, or rejects with its error once
 * everything is rolled back. On SQLite the transactions of one handle run one at a time, a synchronous action is not
 * interrupted, and statements on the database itself, beside an action that awaits, belong to its transaction too. A
 * transaction on the action's own connection is a savepoint. One on the database itself, awaited within the action,
 * would wait for itself.
 * @throws SqlError `busy`, `disk_full`, `connection_failed`, `aborted`, ..., and whatever the action throws
 */
export function transaction<T>(
  database: SqliteDatabase,
  action: TransactionAction<SqliteDatabase, T>,
  options?: TransactionOptions,
): Promise<T>;
/**
 * On PostgreSQL: on a connection of a pool, on the client's own connection in turn, or on the one that PGlite lends.
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

/** True for a database of SQLite, false for a client of PostgreSQL. */
export function isSqliteDatabase(
  target: SqliteDatabase | PostgresClient | PostgresSession,
): target is SqliteDatabase {
  return "prepare" in target && "handle" in target;
}
