export type { OperationStores } from "../sql/operation-stores.ts";
export {
  openSqliteOperationStores,
  type SqliteOperationStoresOptions,
} from "./open-sqlite-operation-stores.ts";
