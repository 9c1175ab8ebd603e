import {
  runSqlSteps,
  SqlError,
  type PostgresClient,
  type SqliteDatabase,
  type SqlSteps,
} from "@ccl/sql";

import { CatalogError, type CatalogErrorCode } from "../catalog-error.ts";
import { postgresDialect, sqliteDialect, type SqlDialect } from "./sql-dialect.ts";

/** How a call runs. */
interface SqlCallOptions {
  mode: "read" | "write";
  signal?: AbortSignal | undefined;
}

/** Runs the steps of a call in one transaction. */
export interface SqlRunner {
  dialect: SqlDialect;
  run<Value>(steps: () => SqlSteps<Value>, options: SqlCallOptions): Promise<Value>;
}

/** On SQLite. */
export function createSqliteRunner(database: SqliteDatabase): SqlRunner {
  return {
    dialect: sqliteDialect,
    run: (steps, options) => runSqlSteps(database, steps, options),
  };
}

/** On PostgreSQL: on a connection of the pool's, or in turns. */
export function createPostgresRunner(client: PostgresClient): SqlRunner {
  return {
    dialect: postgresDialect,
    run: (steps, options) => runSqlSteps(client, steps, options),
  };
}

/** What a failure of the database means to a store. */
export function catalogErrorOf(error: unknown): unknown {
  if (!SqlError.isInstance(error)) return error;
  const known: Partial<Record<string, CatalogErrorCode>> = {
    aborted: "aborted",
    corrupt: "store_damaged",
  };
  return new CatalogError(
    known[error.code] ?? "store_failed",
    `The catalog's store failed. ${error.message}`,
    {
      cause: error,
    },
  );
}
