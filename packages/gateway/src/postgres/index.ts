export {
  openPostgresDecisionStore,
  type PostgresDecisionStoreOptions,
} from "./open-postgres-decision-store.ts";
