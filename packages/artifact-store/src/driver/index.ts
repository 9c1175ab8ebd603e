export {
  chunkBytes,
  type ArtifactDriver,
  type BlobPut,
  type BlobRecord,
  type CommitOutcome,
  type StagedBlob,
  type StoredBlob,
} from "./artifact-driver.ts";
