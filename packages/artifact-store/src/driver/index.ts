export {
  chunkBytes,
  type ArtifactDriver,
  type BlobPut,
  type BlobRecord,
  type CommitOutcome,
  type DriverCollectOptions,
  type DriverListOptions,
  type DriverWriteOptions,
  type FoundHandle,
  type FreedBlob,
  type StagedBlob,
  type StoredBlob,
} from "../artifact-driver.ts";
export type { HandleKey } from "../artifact-store.ts";
export {
  damagedHandle,
  fromCheckedLine,
  handleChecksum,
  handleOfLine,
  handleOfRow,
  toCheckedLine,
} from "./checked-line.ts";
export { compareHandles } from "./compare-handles.ts";
export { isMatch } from "./is-match.ts";
export { concatBytes } from "../store/blob-record.ts";
export { isWholeBlob } from "../store/verify-blobs.ts";
export { createArtifactStore, type ArtifactStoreOptions } from "../store/create-artifact-store.ts";
export {
  hasSharedLimits,
  planEviction,
  requireFit,
  sessionIdsOf,
  type Eviction,
  type StoreUsage,
} from "./plan-eviction.ts";
