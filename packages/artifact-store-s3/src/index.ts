export type { S3LikeClient } from "./bucket/s3-bucket.ts";
export {
  openS3ArtifactStore,
  type S3ArtifactStore,
  type S3ArtifactStoreOptions,
} from "./open-s3-artifact-store.ts";
