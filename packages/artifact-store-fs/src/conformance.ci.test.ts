import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryArtifactStore, withEncryption, type ArtifactStore } from "@ccl/artifact-store";
import {
  artifactStoreConformance,
  type ConformanceOpenOptions,
} from "@ccl/artifact-store/conformance";
import type { Clock } from "@ccl/core";
import { afterAll, describe, expect, it } from "vitest";
import { damageBlob, damageHandle } from "../test-support/damage-blob.ts";
import { openFsArtifactStore, type FsArtifactStoreOptions } from "./open-fs-artifact-store.ts";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

const folders: string[] = [];
const optionsOf = new WeakMap<ArtifactStore, FsArtifactStoreOptions>();
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function openAt(options: FsArtifactStoreOptions): Promise<ArtifactStore> {
  const store = await openFsArtifactStore(options);
  optionsOf.set(store, options);
  return store;
}

function placeOf(store: ArtifactStore): FsArtifactStoreOptions {
  const options = optionsOf.get(store);
  if (options === undefined) throw new Error("not one of ours");
  return options;
}

async function openNew(options: ConformanceOpenOptions): Promise<ArtifactStore> {
  const root = await mkdtemp(join(tmpdir(), "ccl-conform-"));
  folders.push(root);
  return openAt({ ...options, folder: root });
}

async function reopen(
  store: ArtifactStore,
  options: ConformanceOpenOptions,
): Promise<ArtifactStore> {
  await store.close();
  return openAt({ ...placeOf(store), ...options });
}

const key = new Uint8Array(32).fill(7);
// What encryption adds: a header before the content, and a seal after each MiB.
const headerBytes = 48;
const sealBytes = 16;

const kits = {
  "a store of files": artifactStoreConformance({
    open: openNew,
    reopen,
    corrupt: (store, artifactId, damage) => damageBlob(placeOf(store).folder, artifactId, damage),
    corruptHandle: (store, handle) => damageHandle(placeOf(store).folder, handle),
  }),
  "a store of files with limits": artifactStoreConformance({
    open: ({
      limits = { maxSessionBytes: 2 ** 40, maxStoreBytes: 2 ** 40, whenFull: "evict" },
      ...options
    }) => openNew({ ...options, limits }),
    reopen,
    corrupt: (store, artifactId, damage) => damageBlob(placeOf(store).folder, artifactId, damage),
    corruptHandle: (store, handle) => damageHandle(placeOf(store).folder, handle),
  }),
  "an encrypted store of files": artifactStoreConformance({
    overheadBytes: headerBytes + sealBytes,
    idOf: async (content) => {
      const store = withEncryption(createMemoryArtifactStore(), { key });
      return (await store.store(content, { source: "id" })).artifactId;
    },
    open: async (options) => seal(await openNew(options), options.clock),
    reopen: async (store, options) => {
      await store.close();
      return seal(await openAt({ ...placeOf(store), ...options }), options.clock);
    },
    corrupt: (store, artifactId, { kind, offset }) => {
      const place = headerBytes + offset + Math.floor(offset / 2 ** 20) * sealBytes;
      return damageBlob(placeOf(store).folder, artifactId, { kind, offset: place });
    },
  }),
};

function seal(inner: ArtifactStore, clock?: Clock): ArtifactStore {
  const store = withEncryption(inner, { key, clock });
  optionsOf.set(store, placeOf(inner));
  return store;
}

// The rules about limits set their own, and encryption does not know what lies below it: every change tries it over memory
// and SQLite. That the rules hold here too is for the longer runs.
const isAtLength = isAtLeast("faults");
const tried = Object.entries(kits).slice(0, isAtLength ? undefined : 1);

describe.each(tried)("%s keeps the contract", (_name, rules) => {
  it.each(rules.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
