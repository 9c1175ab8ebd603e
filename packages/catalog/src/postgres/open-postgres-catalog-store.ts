import { migrate, type PostgresClient } from "@ccl/sql";

import { createSqlCatalogStore } from "../sql/create-sql-catalog-store.ts";
import { catalogErrorOf, createPostgresRunner } from "../sql/sql-runner.ts";
import { postgresDialect } from "../sql/sql-dialect.ts";
import { storeTables } from "../sql/store-tables.ts";
import type { CatalogStore } from "../store/catalog-store.ts";

/** The database of the catalog: pg's `Pool` or `Client`, or PGlite; it stays open when the store is closed. */
export interface PostgresCatalogStoreOptions {
  client: PostgresClient;
  signal?: AbortSignal | undefined;
}

/**
 * A catalog in PostgreSQL, in tables that are made where they are missing.
 * @throws CatalogError `store_failed` or `aborted`
 */
export async function openPostgresCatalogStore({
  client,
  signal,
}: PostgresCatalogStoreOptions): Promise<CatalogStore> {
  const migrations = [{ version: 1, up: storeTables(postgresDialect) }];
  try {
    await migrate(client, {
      component: "catalog_store",
      migrations,
      signal,
    });
  } catch (error) {
    throw catalogErrorOf(error);
  }
  return createSqlCatalogStore(createPostgresRunner(client));
}
