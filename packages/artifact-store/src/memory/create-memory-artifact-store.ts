import type { ArtifactStore } from "../artifact-store.ts";
import { createArtifactStore, type ArtifactStoreOptions } from "../store/create-artifact-store.ts";
import { createMemoryDriver } from "./memory-driver.ts";

/** Creates a store that lasts as long as its process. Used in tests, and as the reference for other stores. */
export function createMemoryArtifactStore(options: ArtifactStoreOptions = {}): ArtifactStore {
  return createArtifactStore(createMemoryDriver(), options);
}
