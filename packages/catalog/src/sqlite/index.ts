export {
  openSqliteCatalogStore,
  type SqliteCatalogStoreOptions,
} from "./open-sqlite-catalog-store.ts";
