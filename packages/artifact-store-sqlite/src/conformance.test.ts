import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryArtifactStore, withEncryption, type ArtifactStore } from "@ccl/artifact-store";
import {
  artifactStoreConformance,
  type ConformanceOpenOptions,
  type ConformanceOptions,
  type Damage,
} from "@ccl/artifact-store/conformance";
import type { Clock } from "@ccl/core";
import { openSqlite, type SqliteDriverName } from "@ccl/sql/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blobFileName } from "./blob-directory.ts";
import { openBlobDirectory } from "./node/index.ts";
import {
  openSqliteArtifactStore,
  type SqliteArtifactStoreOptions,
} from "./open-sqlite-artifact-store.ts";
import { chunksPerSet } from "./schema.ts";
import { byLength } from "../../../scripts/lengths/test-length.mjs";

const hasNodeSqlite = globalThis.process.getBuiltinModule("node:sqlite") !== undefined;
const drivers: SqliteDriverName[] = hasNodeSqlite
  ? ["@photostructure/sqlite", "node:sqlite"]
  : ["@photostructure/sqlite"];
if (!hasNodeSqlite)
  console.warn("node:sqlite is not in this Node; the kit runs over @photostructure/sqlite only.");

const mebibyte = 2 ** 20;
let folder = "";
let opened = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ccl-sqlite-kit-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Place extends SqliteArtifactStoreOptions {
  path: string;
  driver: SqliteDriverName;
  /** The folder of the blob directory. */
  files?: string;
}

const places = new WeakMap<ArtifactStore, Place>();

function placeOf(store: ArtifactStore): Place {
  const place = places.get(store);
  if (place === undefined) throw new Error("This store was not opened here.");
  return place;
}

async function openAt(place: Place): Promise<ArtifactStore> {
  const store = await openSqliteArtifactStore(place);
  places.set(store, place);
  return store;
}

function openNew(
  driver: SqliteDriverName,
  options: ConformanceOpenOptions,
): Promise<ArtifactStore> {
  opened += 1;
  return openAt({ path: join(folder, `${opened}.sqlite`), driver, durability: "off", ...options });
}

async function damageBlob(
  { path, driver, files }: Place,
  artifactId: string,
  damage: Damage,
): Promise<void> {
  const { kind, offset } = damage;
  const database = await openSqlite({ path, driver });
  const find = "SELECT blob_id, set_id, is_file FROM artifact_blobs WHERE artifact_id = ?";
  const blob = database.prepare(find).get(artifactId);
  if (blob?.["is_file"] === 1) {
    database.close();
    return damageFile(join(files ?? "", blobFileName(Number(blob["set_id"]))), damage);
  }
  const setId = blob?.["set_id"] ?? null;
  const firstKey = Number(setId) * chunksPerSet;
  const place =
    setId === null
      ? { table: "artifact_blobs", column: "blob_id", key: Number(blob?.["blob_id"]), at: offset }
      : {
          table: "artifact_chunks",
          column: "chunk_key",
          key: firstKey + Math.floor(offset / mebibyte),
          at: offset % mebibyte,
        };
  const row = database
    .prepare(`SELECT bytes FROM ${place.table} WHERE ${place.column} = ?`)
    .get(place.key);
  const bytes = row?.["bytes"];
  if (!(bytes instanceof Uint8Array)) throw new Error("There is no such blob.");
  if (kind === "flip") bytes[place.at] = (bytes[place.at] ?? 0) ^ 1;
  const damaged = kind === "flip" ? bytes : bytes.slice(0, place.at);
  database
    .prepare(`UPDATE ${place.table} SET bytes = ? WHERE ${place.column} = ?`)
    .run(damaged, place.key);
  if (kind === "cut" && setId !== null) {
    const cut = "DELETE FROM artifact_chunks WHERE chunk_key > ? AND chunk_key < ?";
    database.prepare(cut).run(place.key, firstKey + chunksPerSet);
  }
  database.close();
}

function damageFile(path: string, { kind, offset }: Damage): void {
  const bytes = readFileSync(path);
  bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  writeFileSync(path, kind === "flip" ? bytes : bytes.subarray(0, offset));
}

const key = new Uint8Array(32).fill(7);
// What encryption adds: a header before the content, and a seal after each MiB.
const headerBytes = 48;
const sealBytes = 16;

function seal(inner: ArtifactStore, clock: Clock | undefined): ArtifactStore {
  const store = withEncryption(inner, { key, clock });
  places.set(store, placeOf(inner));
  return store;
}

function kitsOver(driver: SqliteDriverName): Record<string, ConformanceOptions> {
  const corruptHandle: ConformanceOptions["corruptHandle"] = async (store, { handleId }) => {
    const database = await openSqlite({ path: placeOf(store).path, driver });
    const change = "UPDATE artifact_handles SET summary = '?' WHERE handle_id = ?";
    database.prepare(change).run(handleId);
    database.close();
  };
  const plain: ConformanceOptions = {
    open: (options) => openNew(driver, options),
    reopen: async (store, options) => {
      await store.close();
      return openAt({ ...placeOf(store), ...options });
    },
    corrupt: (store, artifactId, damage) => damageBlob(placeOf(store), artifactId, damage),
    corruptHandle,
  };
  const openWithFiles = async (options: ConformanceOpenOptions): Promise<ArtifactStore> => {
    opened += 1;
    const files = join(folder, `${opened}.files`);
    const blobDirectory = await openBlobDirectory(files, { durability: "off" });
    const path = join(folder, `${opened}.sqlite`);
    return openAt({ path, driver, durability: "off", ...options, blobDirectory, files });
  };
  const wide = { maxSessionBytes: 2 ** 40, maxStoreBytes: 2 ** 40, whenFull: "evict" } as const;
  return {
    plain,
    "with long contents in files": { ...plain, open: openWithFiles },
    "with limits": {
      ...plain,
      open: ({ limits = wide, ...options }) => openNew(driver, { ...options, limits }),
    },
    encrypted: {
      overheadBytes: headerBytes + sealBytes,
      idOf: async (content) => {
        const store = withEncryption(createMemoryArtifactStore(), { key });
        return (await store.store(content, { source: "id" })).artifactId;
      },
      open: async (options) => seal(await openNew(driver, options), options.clock),
      reopen: async (store, options) => {
        await store.close();
        const place = { ...placeOf(store), ...options };
        return seal(await openAt(place), place.clock);
      },
      corrupt: (store, artifactId, { kind, offset }) => {
        const sealed = headerBytes + offset + Math.floor(offset / mebibyte) * sealBytes;
        return damageBlob(placeOf(store), artifactId, { kind, offset: sealed });
      },
      corruptHandle,
    },
  };
}

// The rules about limits set their own, and every change tries encryption over memory: that the others hold under both too
// is for the longer runs.
const left = byLength({
  test: ["with limits", "encrypted"],
  ci: ["with limits"],
  faults: [],
});

describe.each(drivers)("the SQLite store over %s", (driver) => {
  const kits = Object.entries(kitsOver(driver));
  const tried = kits.filter(([name]) => !left.includes(name));
  describe.each(tried)("%s", (_name, kit) => {
    it.each(artifactStoreConformance(kit))("$name", async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    });
  });
});
