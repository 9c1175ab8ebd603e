export type { DurableChatStore } from "../sql/create-sql-chat-store.ts";
export type { OperationStores, OperationStoresOptions } from "../sql/operation-stores.ts";
export {
  openPostgresOperationStores,
  type PostgresOperationStoresOptions,
} from "./open-postgres-operation-stores.ts";
