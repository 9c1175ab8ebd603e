import { expect, it } from "vitest";
import { fillStore, tryDamages } from "../../../../scripts/damage/artifact-damages.mjs";
import { byLength, isAtLeast } from "../../../../scripts/lengths/test-length.mjs";
import type { ArtifactStore } from "../artifact-store.ts";
import { createKeyValueArtifactStore } from "../index.ts";

const runs = byLength({ test: 20, ci: 60, faults: 1_000 });

function openOver(map: Map<string, Uint8Array>): ArtifactStore {
  return createKeyValueArtifactStore({
    get: async (key) => map.get(key),
    set: async (key, value) => map.set(key, value),
    delete: async (key) => map.delete(key),
    keys: async (prefix) => [...map.keys()].filter((key) => key.startsWith(prefix)),
  });
}

it(
  "returns no wrong byte of damaged values, and everything of the others",
  { timeout: runs * 20_000 },
  async () => {
    const map = new Map<string, Uint8Array>();
    const filled = await fillStore(openOver(map));
    const counts = await tryDamages({
      files: new Map(Array.from(map, ([key, value]) => [key, Buffer.from(value)])),
      filled,
      runs,
      open: async (files) => openOver(new Map(files)),
    });
    if (isAtLeast("faults")) console.log("key-value:", counts);
    expect(counts).toMatchObject({ notOpened: 0, unseen: 0, wrongContents: 0, wrongHandles: 0 });
    expect(counts).toMatchObject({ mostContents: 1, mostHandles: 1 });
    expect(counts.reported).toBeGreaterThan(0);
  },
);
