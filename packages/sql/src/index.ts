export { migrate, type Migration, type MigrationOutcome } from "./migrate/migrate.ts";
export type {
  PostgresClient,
  PostgresResult,
  PostgresRow,
  PostgresSession,
  PostgresValue,
} from "./postgres/postgres-client.ts";
export { createPostgresSession, isCommitLazy } from "./postgres/postgres-session.ts";
export { SqlError } from "./sql-error.ts";
export { openSqliteHandle, type SqliteDurability } from "./sqlite/open-sqlite-handle.ts";
export type {
  ReadApart,
  SqliteDatabase,
  SqliteHandle,
  SqliteRow,
  SqliteStatement,
  SqliteValue,
} from "./sqlite/sqlite-database.ts";
export { bytesIn, jsonIn, numberIn, requiredJsonIn, textIn } from "./steps/column-values.ts";
export { runSqlSteps } from "./steps/run-sql-steps.ts";
export { textOfSortKey } from "./steps/sort-key.ts";
export { insertRows, rowsOf, run, type SqlRow, type SqlSteps } from "./steps/sql-steps.ts";
export { quoteIdentifier } from "./quote-identifier.ts";
export { transaction } from "./transaction/transaction.ts";
