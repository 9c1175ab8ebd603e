export {
  openS3ArtifactStore,
  type S3ArtifactStore,
  type S3ArtifactStoreOptions,
} from "./open-s3-artifact-store.ts";
