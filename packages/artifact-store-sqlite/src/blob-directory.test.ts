import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { openSqlite } from "@ccl/sql/node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BlobDirectory } from "./blob-directory.ts";
import { openBlobDirectory } from "./node/index.ts";
import { openSqliteArtifactStore } from "./open-sqlite-artifact-store.ts";

let folder = "";
let path = "";
let files = "";
let directory: BlobDirectory;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ccl-sqlite-files-"));
  path = join(folder, "artifacts.sqlite");
  files = join(folder, "files");
  directory = await openBlobDirectory(files);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const source = "tool:test";
const long = new Uint8Array(2_500_000).fill(7);

describe("a store with a blob directory", () => {
  it("keeps long contents in files, and removes a file with its blob", async () => {
    const store = await openSqliteArtifactStore({ path, blobDirectory: directory });
    const { artifactId } = await store.store(long, { source });
    await store.store(long, { source });
    await store.store("short", { source });
    expect(readdirSync(files)).toHaveLength(1);
    expect(await store.retrieve(artifactId, { range: { start: 2_499_998 } })).toEqual(
      new Uint8Array([7, 7]),
    );
    await store.delete(artifactId);
    expect(readdirSync(files)).toHaveLength(1);
    await store.collectGarbage({ graceMs: 0 });
    expect(readdirSync(files)).toEqual([]);
    await store.close();
  });

  it("has a file whole and synced before the commit that names it", async () => {
    const seen: unknown[] = [];
    const reader = await openSqlite({ path });
    const watched: BlobDirectory = {
      ...directory,
      async create(name) {
        const stages = reader
          .prepare("SELECT count(*) AS n FROM artifact_stages WHERE is_file = 1")
          .get();
        const writer = await directory.create(name);
        return {
          write: (bytes) => writer.write(bytes),
          abandon: () => writer.abandon(),
          async finish() {
            await writer.finish();
            seen.push(stages, reader.prepare("SELECT count(*) AS n FROM artifact_blobs").get());
          },
        };
      },
    };
    const store = await openSqliteArtifactStore({ path, blobDirectory: watched });
    await store.store(long, { source });
    expect(seen).toEqual([{ n: 1 }, { n: 0 }]);
    await store.close();
    reader.close();
  });

  it("keeps nothing of a file whose sync fails", async () => {
    const failing: BlobDirectory = {
      ...directory,
      async create(name) {
        const writer = await directory.create(name);
        const finish = async (): Promise<void> => {
          await writer.abandon();
          throw Object.assign(new Error("no space"), { code: "ENOSPC" });
        };
        return { write: (bytes) => writer.write(bytes), abandon: () => writer.abandon(), finish };
      },
    };
    const store = await openSqliteArtifactStore({ path, blobDirectory: failing });
    await expect(store.store(long, { source })).rejects.toMatchObject({ code: "disk_full" });
    expect(await store.listHandles()).toEqual({ handles: [] });
    expect(readdirSync(files)).toEqual([]);
    await store.close();
  });

  it("removes at the next opening what dead streams and unfinished removals left", async () => {
    await (await openSqliteArtifactStore({ path, blobDirectory: directory })).close();
    const database = await openSqlite({ path });
    database.exec(
      "INSERT INTO artifact_stages VALUES (50, 1, 0); INSERT INTO artifact_dropped_files VALUES (40)",
    );
    database.close();
    for (const name of ["50.blob", "40.blob"]) writeFileSync(join(files, name), "left");
    await (await openSqliteArtifactStore({ path, blobDirectory: directory })).close();
    expect(readdirSync(files)).toEqual([]);
  });

  it("says what is missing when it is opened without the directory", async () => {
    const store = await openSqliteArtifactStore({ path, blobDirectory: directory });
    const { artifactId } = await store.store(long, { source });
    await store.close();
    const without = await openSqliteArtifactStore({ path });
    await expect(without.retrieve(artifactId)).rejects.toMatchObject({ code: "unsupported" });
    await without.close();
  });

  it("says damaged for a file that was lost, and repairs it when the same bytes come again", async () => {
    const store = await openSqliteArtifactStore({ path, blobDirectory: directory });
    const { artifactId } = await store.store(long, { source });
    for (const name of readdirSync(files)) rmSync(join(files, name));
    await expect(store.retrieve(artifactId)).rejects.toMatchObject({ code: "damaged" });
    await store.store(long, { source });
    expect(await store.retrieve(artifactId)).toHaveLength(long.length);
    await store.close();
  });

  it.each(["nothing", "an empty folder"])(
    "loses nothing while %s is in the place of its folder",
    async (instead) => {
      const store = await openSqliteArtifactStore({ path, blobDirectory: directory });
      const { artifactId } = await store.store(long, { source });
      const away = join(folder, "away");
      renameSync(files, away);
      if (instead === "an empty folder") mkdirSync(files);
      await expect(store.retrieve(artifactId)).rejects.toMatchObject({ code: "unavailable" });
      await store.verify();
      await store.delete(artifactId);
      await store.collectGarbage({ graceMs: 0 });
      rmSync(files, { recursive: true, force: true });
      renameSync(away, files);
      expect(readdirSync(files)).toHaveLength(1);
      await store.store("short", { source });
      await store.collectGarbage({ graceMs: 0 });
      expect(readdirSync(files)).toEqual([]);
      await store.close();
    },
  );
});

describe("openBlobDirectory", () => {
  it.each(["full", "normal", "off"] as const)(
    "syncs under %s as the database needs it",
    async (durability) => {
      const handle = await open(folder);
      const prototype: FileHandle = Object.getPrototypeOf(handle);
      await handle.close();
      const sync = vi.spyOn(prototype, "sync");
      try {
        const writer = await (await openBlobDirectory(files, { durability })).create("1.blob");
        await writer.write(long);
        await writer.finish();
        expect(sync).toHaveBeenCalledTimes(durability === "off" ? 0 : 3);
      } finally {
        sync.mockRestore();
      }
    },
  );

  it("stays where it was when the process goes elsewhere", async () => {
    const before = process.cwd();
    const there = await openBlobDirectory(relative(before, files));
    process.chdir(folder);
    try {
      await (await there.create("1.blob")).finish();
      expect(readdirSync(files)).toEqual(["1.blob"]);
    } finally {
      process.chdir(before);
    }
  });

  it.each([
    { path: "" },
    { path: "a\0b" },
    { path: 5 },
    { durability: "FULL" },
    { durability: null },
  ])("refuses %j", async (wrong) => {
    const { path: folderPath, ...options } = { path: files, ...wrong };
    // @ts-expect-error: what JavaScript lets pass
    const opening = openBlobDirectory(folderPath, options);
    await expect(opening).rejects.toMatchObject({
      name: "ArtifactStoreError",
      code: "invalid_input",
    });
  });
});
