import { throwIfAborted } from "@ccl/core/async";
import { compareCodeUnits } from "@ccl/core";
import type { PostgresClient, SqliteDatabase } from "@ccl/sql";
import { CatalogError } from "../catalog-error.ts";
import { requireWhole } from "../require-whole.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import { importFailure } from "./import-signal.ts";
import { readPostgresTables } from "./read-postgres-tables.ts";
import { readSqliteTables } from "./read-sqlite-tables.ts";
import { sqlResource } from "./sql-resource.ts";
import type { SqlTable } from "./sql-table.ts";
import type { TableReadOptions } from "./table-read-options.ts";

/** Options of `fromSqlDatabase`. */
export interface FromSqlDatabaseOptions {
  /**
   * Your name for the database. Defaults to `main`. It becomes part of ids (`res:db.pg.main.public.orders`) and
   * uris (`ada://any/db/pg:main/public.orders`).
   */
  name?: string | undefined;
  /** PostgreSQL schemas (default: all but system schemas) or attached SQLite databases (default: `main`). */
  schemas?: readonly string[] | undefined;
  /**
   * Number of rows to read from each table to compute null rates and, in SQLite, to infer types of untyped
   * columns. Defaults to 0, since PostgreSQL keeps null rates in its statistics. No value from a row is kept.
   */
  sampleRows?: number | undefined;
  /**
   * Maximum number of rows to count in a SQLite table without statistics. Defaults to 100,000. 0 means no row
   * count.
   */
  maxCountedRows?: number | undefined;
  /**
   * Maximum number of tables. Defaults to 20,000. The import fails if there are more, so no table is silently
   * omitted.
   */
  maxTables?: number | undefined;
  /**
   * Reference to a connector's credentials, e.g. `ada://secret/pg:main`. Never the secret itself. None by default.
   */
  secret?: string | undefined;
  owner?: string | undefined;
  tags?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Imports a database's tables and views, sorted by id, with columns, types, nulls, keys, indexes, comments and row
 * estimates. Reads only system catalogs and statistics, plus bounded samples if requested.
 * @throws CatalogError `import_failed`, `invalid_options`, `aborted`
 */
export async function fromSqlDatabase(
  handle: SqliteDatabase | PostgresClient,
  options: FromSqlDatabaseOptions = {},
): Promise<ResourceInput[]> {
  const { name = "main", secret, owner, tags = [], signal } = options;
  const reading = readOptions(options);
  const engine = isSqlite(handle) ? "sqlite" : "pg";
  throwIfAborted(signal, CatalogError);
  let tables: SqlTable[];
  try {
    tables = isSqlite(handle)
      ? await readSqliteTables(handle, reading)
      : await readPostgresTables(handle, reading);
  } catch (error) {
    throw importFailure(`The database "${engine}:${name}"`, error, signal);
  }
  const resources = tables.map((table) =>
    sqlResource(table, { engine, name, secret, owner, tags }),
  );
  return resources.sort((left, right) => compareCodeUnits(left.id, right.id));
}

function readOptions(options: FromSqlDatabaseOptions): TableReadOptions {
  const {
    schemas,
    sampleRows = 0,
    maxCountedRows = 100_000,
    maxTables = 20_000,
    secret,
    signal,
  } = options;
  for (const [name, value] of Object.entries({ sampleRows, maxCountedRows, maxTables }))
    requireWhole(name, value, [0, 10_000_000]);
  if (secret !== undefined && !/^[a-z][a-z0-9+.-]*:\/\/[^@\s]+$/i.test(secret)) {
    const message = "secret is a reference like ada://secret/pg:main, never a connection string.";
    throw new CatalogError("invalid_options", message);
  }
  return { schemas, sampleRows, maxCountedRows, maxTables, signal };
}

/** True for a database opened by `openSqlite`. */
export function isSqlite(handle: SqliteDatabase | PostgresClient): handle is SqliteDatabase {
  return "prepare" in handle && typeof handle.prepare === "function";
}
