import type { ArtifactStore } from "../artifact-store.ts";
import { createArtifactStore, type ArtifactStoreOptions } from "../store/create-artifact-store.ts";
import { createMemoryDriver } from "./memory-driver.ts";

/** A memory store's options. */
export interface MemoryArtifactStoreOptions extends ArtifactStoreOptions {
  /** The same as `limits.maxStoreBytes`; the smaller one holds. */
  maxBytes?: number | undefined;
}

/** A store that lives as long as its process: the reference for others, and for tests. Nothing is lost but by its end. */
export function createMemoryArtifactStore(options: MemoryArtifactStoreOptions = {}): ArtifactStore {
  const { maxBytes, ...rest } = options;
  if (maxBytes === undefined) return createArtifactStore(createMemoryDriver(), rest);
  const maxStoreBytes = Math.min(maxBytes, rest.limits?.maxStoreBytes ?? maxBytes);
  return createArtifactStore(createMemoryDriver(), {
    ...rest,
    limits: { ...rest.limits, maxStoreBytes },
  });
}
