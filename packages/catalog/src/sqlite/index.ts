export type { SqlSearchIndex } from "../sql/create-sql-search-index.ts";
export {
  openSqliteCatalogStore,
  type SqliteCatalogStoreOptions,
} from "./open-sqlite-catalog-store.ts";
export {
  openSqliteSearchIndex,
  type SqliteSearchIndexOptions,
} from "./open-sqlite-search-index.ts";
