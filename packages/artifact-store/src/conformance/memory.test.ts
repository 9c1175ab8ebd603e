import { describe, expect, it } from "vitest";
import { createArtifactStore } from "../driver/index.ts";
import { createMemoryDriver } from "../memory/memory-driver.ts";
import { MemoryState } from "../memory/memory-state.ts";
import type { ArtifactStore } from "../artifact-store.ts";
import { artifactStoreConformance } from "./index.ts";

describe("the memory store", () => {
  const states = new WeakMap<ArtifactStore, MemoryState>();
  const rules = artifactStoreConformance({
    capabilities: { isDurable: false },
    open: async (options) => {
      const state = new MemoryState();
      const store = createArtifactStore(createMemoryDriver(state), options);
      states.set(store, state);
      return store;
    },
    corrupt: async (store, artifactId, { kind, offset }) => {
      const blob = states.get(store)?.blobs.get(artifactId);
      if (blob === undefined) throw new Error("There is no such blob.");
      if (kind === "cut") blob.bytes = blob.bytes.slice(0, offset);
      else blob.bytes[offset] = (blob.bytes[offset] ?? 0) ^ 1;
    },
  });
  it.each(rules.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
