export { openSqliteSessionStore } from "./open-sqlite-session-store.ts";
