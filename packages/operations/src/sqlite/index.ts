export type { DurableChatStore } from "../sql/create-sql-chat-store.ts";
export type { OperationStores, OperationStoresOptions } from "../sql/operation-stores.ts";
export {
  openSqliteOperationStores,
  type SqliteOperationStoresOptions,
} from "./open-sqlite-operation-stores.ts";
