export {
  openPostgresCatalogStore,
  type PostgresCatalogStoreOptions,
} from "./open-postgres-catalog-store.ts";
