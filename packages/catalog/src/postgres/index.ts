export type { SqlSearchIndex } from "../sql/create-sql-search-index.ts";
export {
  openPostgresCatalogStore,
  type PostgresCatalogStoreOptions,
} from "./open-postgres-catalog-store.ts";
export {
  openPostgresSearchIndex,
  type PostgresSearchIndexOptions,
} from "./open-postgres-search-index.ts";
