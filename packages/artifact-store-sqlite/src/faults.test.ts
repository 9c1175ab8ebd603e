import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArtifactStore } from "@ccl/artifact-store";
import { openSqlite } from "@ccl/sql/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteArtifactStore } from "./open-sqlite-artifact-store.ts";

if (process.getuid?.() !== 0) {
  console.warn(
    "Only root can mount a small tmpfs: the full disk is tried with max_page_count only.",
  );
}

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ccl-sqlite-faults-"));
  path = join(folder, "artifacts.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const source = "tool:test";
/** Bytes that no other seed gives. */
function bytesOf(length: number, seed: number): Uint8Array {
  const bytes = Buffer.alloc(length, `${seed} `);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, length);
}

/** Stores until the room runs out; how many were kept, and each of them is there still. */
async function fillUp(store: ArtifactStore, sizeBytes: number): Promise<number> {
  const kept: string[] = [];
  let failure: unknown;
  while (failure === undefined && kept.length < 1000) {
    try {
      kept.push((await store.store(bytesOf(sizeBytes, kept.length), { source })).artifactId);
    } catch (error) {
      failure = error;
    }
  }
  expect(failure).toMatchObject({ name: "ArtifactStoreError", code: "disk_full" });
  for (const [seed, artifactId] of kept.entries()) {
    const bytes = (await store.retrieve(artifactId)) ?? new Uint8Array();
    expect(Buffer.compare(bytes, bytesOf(sizeBytes, seed))).toBe(0);
  }
  return kept.length;
}

describe("a full disk", () => {
  it.each([
    ["small artifacts", 5_000],
    ["long ones in chunk rows", 1_500_000],
  ])("refuses %s with disk_full and loses none of those before", async (_name, sizeBytes) => {
    const database = await openSqlite({ path, durability: "off" });
    const store = await openSqliteArtifactStore({ client: database });
    database.exec("PRAGMA max_page_count = 1000");
    expect(await fillUp(store, sizeBytes)).toBeGreaterThan(1);
    expect(database.prepare("SELECT count(*) AS n FROM artifact_stages").get()).toEqual({ n: 0 });
    database.exec("PRAGMA max_page_count = 100000");
    await store.store(bytesOf(sizeBytes, 999), { source });
    await store.close();
    database.close();
  });

  it.runIf(process.getuid?.() === 0)(
    "is told on a real file system too, and the store goes on in new room",
    async () => {
      const mount = join(folder, "full");
      mkdirSync(mount);
      expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", mount]).status).toBe(0);
      try {
        const ballast = join(mount, "ballast");
        writeFileSync(ballast, new Uint8Array(1 << 20));
        const store = await openSqliteArtifactStore({ path: join(mount, "artifacts.sqlite") });
        expect(await fillUp(store, 40_000)).toBeGreaterThan(10);
        rmSync(ballast);
        const { artifactId } = await store.store("room again", { source });
        expect(await store.exists(artifactId)).toBe(true);
        await store.close();
      } finally {
        // Lazily: @photostructure/sqlite keeps its files until its statements are collected.
        spawnSync("umount", ["-l", mount]);
      }
    },
  );
});

describe("a damaged file", () => {
  it.each([
    ["garbage", () => Buffer.from("This is no database. ".repeat(1000))],
    ["a file that was cut", () => readFileSync(path).subarray(0, 5000)],
    ["a file whose pages were overwritten", () => readFileSync(path).fill(0xa5, 4096)],
  ])("is told as a typed error: %s", async (_name, contentOf) => {
    const store = await openSqliteArtifactStore({ path });
    const { artifactId } = await store.store(bytesOf(50_000, 1), { source });
    await store.close();
    writeFileSync(path, contentOf());
    const reading = openSqliteArtifactStore({ path }).then(async (damaged) => {
      try {
        return await damaged.retrieve(artifactId);
      } finally {
        await damaged.close();
      }
    });
    await expect(reading).rejects.toMatchObject({ name: "ArtifactStoreError", code: "damaged" });
  });

  it("is told from tables of a newer release", async () => {
    await (await openSqliteArtifactStore({ path })).close();
    const database = await openSqlite({ path });
    database.exec("UPDATE ccl_schema SET version = 99");
    const opening = openSqliteArtifactStore({ client: database });
    await expect(opening).rejects.toMatchObject({
      code: "unavailable",
      cause: { code: "schema_newer" },
    });
    database.close();
  });
});

describe("two stores on one file", () => {
  it("see each other's artifacts, deletions and collections at once", async () => {
    const [left, right] = [
      await openSqliteArtifactStore({ path }),
      await openSqliteArtifactStore({ path }),
    ];
    const { artifactId } = await left.store("shared", { source });
    expect(await right.exists(artifactId)).toBe(true);
    await right.delete(artifactId);
    expect(await left.exists(artifactId)).toBe(false);
    const [put] = await Promise.all([
      left.store("shared", { source }),
      right.collectGarbage({ graceMs: 0 }),
    ]);
    expect(await right.retrieve(put.artifactId)).toEqual(new TextEncoder().encode("shared"));
    await left.close();
    await right.close();
  });

  it("never free what is put at that moment", async () => {
    const [left, right] = [
      await openSqliteArtifactStore({ path }),
      await openSqliteArtifactStore({ path }),
    ];
    for (let round = 0; round < 30; round += 1) {
      const first = await left.store("again and again", { source });
      const calls = [
        () => left.delete(first.artifactId, { handleId: first.handleId }),
        () => right.collectGarbage({ graceMs: 0 }),
        () => left.store("again and again", { source, sessionId: `round ${round}` }),
        () => right.collectGarbage({ graceMs: 0 }),
      ];
      const order = round % 4;
      await Promise.all([...calls.slice(order), ...calls.slice(0, order)].map((call) => call()));
      expect(await right.retrieve(first.artifactId)).toBeDefined();
      await left.delete(first.artifactId);
    }
    await left.close();
    await right.close();
  });

  it("keep the sums of limits right whoever writes", async () => {
    const limits = { maxStoreBytes: 1000, maxSessionBytes: 600 };
    const [free, bound] = [
      await openSqliteArtifactStore({ path }),
      await openSqliteArtifactStore({ path, limits }),
    ];
    await free.store(bytesOf(500, 1), { source, sessionId: "a" });
    await bound.store(bytesOf(100, 2), { source, sessionId: "a" });
    await expect(bound.store(bytesOf(1, 3), { source, sessionId: "a" })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
    await free.store(bytesOf(400, 4), { source });
    await expect(bound.store(bytesOf(1, 5), { source })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
    await bound.store(bytesOf(500, 1), { source, sessionId: "b" });
    await free.close();
    await bound.close();
  });
});

describe("closing", () => {
  it("leaves one file, and a database that was handed in stays open", async () => {
    const store = await openSqliteArtifactStore({ path });
    await store.store(bytesOf(100_000, 1), { source });
    await store.close();
    expect([path, `${path}-wal`, `${path}-shm`].map((file) => existsSync(file))).toEqual([
      true,
      false,
      false,
    ]);
    const database = await openSqlite({ path });
    await (await openSqliteArtifactStore({ client: database })).close();
    expect(database.prepare("SELECT count(*) AS n FROM artifact_blobs").get()).toEqual({ n: 1 });
    database.close();
  });
});
