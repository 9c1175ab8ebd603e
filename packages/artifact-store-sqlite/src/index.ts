export type { BlobDirectory, BlobFileWriter } from "./blob-directory.ts";
export {
  openSqliteArtifactStore,
  type SqliteArtifactStoreOptions,
} from "./open-sqlite-artifact-store.ts";
