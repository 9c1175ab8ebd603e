export {
  openSqliteOperationStores,
  type SqliteOperationStoresOptions,
} from "./open-sqlite-operation-stores.ts";
