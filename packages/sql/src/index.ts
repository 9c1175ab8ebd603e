export {
  migrate,
  type MigrateOptions,
  type Migration,
  type MigrationOutcome,
} from "./migrate/migrate.ts";
export type {
  PostgresClient,
  PostgresResult,
  PostgresRow,
  PostgresSession,
  PostgresValue,
} from "./postgres/postgres-client.ts";
export { createPostgresSession } from "./postgres/postgres-session.ts";
export { SqlError, type SqlErrorCode } from "./sql-error.ts";
export { openSqliteHandle, type SqliteDurability } from "./sqlite/open-sqlite-handle.ts";
export type {
  PrepareOptions,
  SqliteDatabase,
  SqliteHandle,
  SqliteHandleStatement,
  SqliteRow,
  SqliteStatement,
  SqliteValue,
} from "./sqlite/sqlite-database.ts";
export { transaction } from "./transaction/transaction.ts";
export type { TransactionOptions } from "./transaction/transaction-options.ts";
