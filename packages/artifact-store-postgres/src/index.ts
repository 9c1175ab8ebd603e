export {
  openPostgresArtifactStore,
  type PostgresArtifactStoreOptions,
} from "./open-postgres-artifact-store.ts";
