import { migrate, type SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";

import { CatalogError } from "../catalog-error.ts";
import { createSqlCatalogStore } from "../sql/create-sql-catalog-store.ts";
import { catalogErrorOf, createSqliteRunner } from "../sql/sql-runner.ts";
import { sqliteDialect } from "../sql/sql-dialect.ts";
import { storeTables } from "../sql/store-tables.ts";
import type { CatalogStore } from "../store/catalog-store.ts";

/** Where the catalog is kept: either one of the two. */
export interface SqliteCatalogStoreOptions {
  /** As `openSqlite` of @ccl/sql gives it; it stays open when the store is closed. */
  database?: SqliteDatabase | undefined;
  /** A file that is made where it is missing, and closed with the store. */
  path?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * A catalog in SQLite, in tables that are made where they are missing. Any number of processes may have the file open.
 * @throws CatalogError `invalid_options`, `store_failed`, `store_damaged` or `aborted`
 */
export async function openSqliteCatalogStore(
  options: SqliteCatalogStoreOptions,
): Promise<CatalogStore> {
  const { database, path, signal } = options;
  if ((database === undefined) === (path === undefined)) {
    throw new CatalogError("invalid_options", "A SQLite store takes either `database` or `path`.");
  }
  const call = signal === undefined ? {} : { signal };
  const migrations = [{ version: 1, up: storeTables(sqliteDialect) }];
  let own: SqliteDatabase | undefined;
  try {
    own = path === undefined ? undefined : await openSqlite({ path, ...call });
    const on = database ?? own;
    if (on === undefined) throw new CatalogError("invalid_options", "There is no database.");
    await migrate(on, { component: "catalog_store", migrations, ...call });
    return createSqlCatalogStore(createSqliteRunner(on), () => own?.close());
  } catch (error) {
    own?.close();
    throw catalogErrorOf(error);
  }
}
