export {
  openPostgresSessionStore,
  type PostgresSessionStoreOptions,
} from "./open-postgres-session-store.ts";
