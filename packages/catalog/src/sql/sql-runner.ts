import {
  SqlError,
  transaction,
  type PostgresClient,
  type PostgresSession,
  type SqliteDatabase,
} from "@ccl/sql";

import { CatalogError, type CatalogErrorCode } from "../catalog-error.ts";
import { catalogErrorOfSearch } from "../search/search-errors.ts";
import { throwIfAborted } from "../store/store-input.ts";
import {
  postgresDialect,
  sqliteDialect,
  type SqlDialect,
  type SqlRow,
  type SqlStep,
  type SqlSteps,
} from "./sql-steps.ts";

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

/** On SQLite a call runs in one go, so that nothing else on the connection comes between. */
export function createSqliteRunner(database: SqliteDatabase): SqlRunner {
  return {
    dialect: sqliteDialect,
    run: (steps, { mode, signal }) =>
      transaction(database, (on) => runOnSqlite(on, steps(), signal), withSignal(mode, signal)),
  };
}

/** On PostgreSQL: on a connection of the pool's, or in turns. */
export function createPostgresRunner(client: PostgresClient): SqlRunner {
  return {
    dialect: postgresDialect,
    run: (steps, { mode, signal }) =>
      transaction(client, (on) => runOnPostgres(on, steps(), signal), withSignal(mode, signal)),
  };
}

function withSignal(
  mode: "read" | "write",
  signal: AbortSignal | undefined,
): { mode: "read" | "write"; signal?: AbortSignal | undefined } {
  return signal === undefined ? { mode } : { mode, signal };
}

function runOnSqlite<Value>(
  database: SqliteDatabase,
  steps: SqlSteps<Value>,
  signal: AbortSignal | undefined,
): Value {
  let step = steps.next([]);
  while (step.done !== true) {
    throwIfAborted(signal);
    step = steps.next(sqliteRows(database, step.value));
  }
  return step.value;
}

function sqliteRows(
  database: SqliteDatabase,
  { sql, parameters, hasRows, inserted }: SqlStep,
): SqlRow[] {
  if (inserted !== undefined) {
    const marks = (inserted[0] ?? []).map(() => "?").join(", ");
    const statement = database.prepare(sql.replace("VALUES ROWS", `VALUES (${marks})`));
    for (const row of inserted) statement.run(...row);
    return [];
  }
  const statement = database.prepare(sql);
  if (hasRows) return statement.all(...parameters);
  statement.run(...parameters);
  return [];
}

async function runOnPostgres<Value>(
  session: PostgresSession,
  steps: SqlSteps<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  let step = steps.next([]);
  while (step.done !== true) {
    throwIfAborted(signal);
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

/** The statement with `$1`, `$2`, ... for `?`; no statement has a question mark elsewhere. */
function numbered(sql: string): string {
  let number = 0;
  return sql.replace(/\?/g, () => `$${(number += 1)}`);
}

/** What a failure of the database means to a store or an index. */
export function catalogErrorOf(error: unknown, part: "store" | "index"): unknown {
  if (!SqlError.isInstance(error)) return catalogErrorOfSearch(error);
  const failed: CatalogErrorCode = part === "store" ? "store_failed" : "index_failed";
  const known: Partial<Record<string, CatalogErrorCode>> = {
    aborted: "aborted",
    corrupt: "store_damaged",
  };
  return new CatalogError(
    known[error.code] ?? failed,
    `The catalog's ${part} failed. ${error.message}`,
    {
      cause: error,
    },
  );
}
