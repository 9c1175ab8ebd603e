import type { ArtifactStore } from "../artifact-store.ts";
import { createArtifactStore, type ArtifactStoreOptions } from "../store/create-artifact-store.ts";
import { createMemoryDriver } from "./memory-driver.ts";

/** Options of a memory store. */
export interface MemoryArtifactStoreOptions extends ArtifactStoreOptions {
  /** Same as `limits.maxStoreBytes`. The smaller value applies. */
  maxBytes?: number | undefined;
}

/** A store that lives as long as its process. Used in tests, and as the reference for other stores. */
export function createMemoryArtifactStore(options: MemoryArtifactStoreOptions = {}): ArtifactStore {
  const { maxBytes, ...rest } = options;
  if (maxBytes === undefined) return createArtifactStore(createMemoryDriver(), rest);
  const maxStoreBytes = Math.min(maxBytes, rest.limits?.maxStoreBytes ?? maxBytes);
  return createArtifactStore(createMemoryDriver(), {
    ...rest,
    limits: { ...rest.limits, maxStoreBytes },
  });
}
