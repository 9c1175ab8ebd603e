export type {
  ArtifactContent,
  ArtifactHandle,
  ArtifactStore,
  ByteRange,
  CollectGarbageOptions,
  DeleteOptions,
  GarbageReport,
  HandleKey,
  HandlePage,
  ListHandlesOptions,
  RetrieveOptions,
  StoreItem,
  StoreLimits,
  StoreOptions,
  VerifyOptions,
  VerifyReport,
} from "./artifact-store.ts";
export { ArtifactStoreError, type ArtifactStoreErrorCode } from "./artifact-store-error.ts";
export { copyArtifacts } from "./copy/copy-artifacts.ts";
export { withEncryption } from "./encryption/with-encryption.ts";
export type { KeyValuePlace, TextDatabase } from "./key-value/bytes-in-texts.ts";
export { createKeyValueArtifactStore } from "./key-value/create-key-value-artifact-store.ts";
export type { KeyValueDatabase } from "./key-value/key-value-database.ts";
export { createMemoryArtifactStore } from "./memory/create-memory-artifact-store.ts";
export type { ArtifactStoreOptions } from "./store/create-artifact-store.ts";
