import { describe, expect, it } from "vitest";
import type { ArtifactStore } from "../artifact-store.ts";
import { createArtifactStore } from "../driver/index.ts";
import { withEncryption } from "../encryption/with-encryption.ts";
import { createMemoryArtifactStore } from "../memory/create-memory-artifact-store.ts";
import { createMemoryDriver } from "../memory/memory-driver.ts";
import { MemoryState } from "../memory/memory-state.ts";
import { artifactStoreConformance } from "./index.ts";

const key = new Uint8Array(32).fill(7);
const headerBytes = 48;
const sealBytes = 16;
const placeOf = (offset: number): number =>
  headerBytes + offset + Math.floor(offset / 2 ** 20) * sealBytes;

describe("an encrypted store", () => {
  const states = new WeakMap<ArtifactStore, MemoryState>();
  const rules = artifactStoreConformance({
    capabilities: { isDurable: false },
    overheadBytes: headerBytes + sealBytes,
    idOf: async (content) => {
      const store = withEncryption(createMemoryArtifactStore(), { key });
      return (await store.store(content, { source: "id" })).artifactId;
    },
    open: async (options) => {
      const state = new MemoryState();
      const store = withEncryption(createArtifactStore(createMemoryDriver(state), options), {
        key,
        clock: options.clock,
      });
      states.set(store, state);
      return store;
    },
    corrupt: async (store, artifactId, { kind, offset }) => {
      const blob = states.get(store)?.blobs.get(artifactId);
      if (blob === undefined) throw new Error("There is no such blob.");
      if (kind === "cut") blob.bytes = blob.bytes.slice(0, placeOf(offset));
      else blob.bytes[placeOf(offset)] = (blob.bytes[placeOf(offset)] ?? 0) ^ 1;
    },
  });
  it.each(rules.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
