export {
  openSqliteArtifactStore,
  type SqliteArtifactStoreOptions,
} from "./open-sqlite-artifact-store.ts";
