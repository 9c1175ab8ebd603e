export { openPostgresDecisionStore } from "./open-postgres-decision-store.ts";
