export type { OperationStores } from "../sql/operation-stores.ts";
export {
  openPostgresOperationStores,
  type PostgresOperationStoresOptions,
} from "./open-postgres-operation-stores.ts";
