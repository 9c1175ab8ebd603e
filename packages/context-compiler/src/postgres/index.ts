export { openPostgresSessionStore } from "./open-postgres-session-store.ts";
