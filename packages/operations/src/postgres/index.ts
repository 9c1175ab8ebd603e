export {
  openPostgresOperationStores,
  type PostgresOperationStoresOptions,
} from "./open-postgres-operation-stores.ts";
