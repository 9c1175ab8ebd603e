export {
  openSqliteSessionStore,
  type SqliteSessionStoreOptions,
} from "./open-sqlite-session-store.ts";
