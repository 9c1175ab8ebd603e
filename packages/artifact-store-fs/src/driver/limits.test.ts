import type { ArtifactStore, StoreLimits } from "@ccl/artifact-store";
import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeFileSystem } from "../file-system/node-file-system.ts";
import { shardNames } from "../layout/store-folder.ts";
import { openFsArtifactStore } from "../open-fs-artifact-store.ts";
import { createOwner } from "../owner.ts";
import { createBatches } from "./batches.ts";
import { createUsageReader } from "./shard-usage.ts";

let root = "";
const opened: ArtifactStore[] = [];

async function open(limits?: StoreLimits): Promise<ArtifactStore> {
  const store = await openFsArtifactStore({ root, durability: "off", limits });
  opened.push(store);
  return store;
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-limits-"));
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await rm(root, { recursive: true, force: true });
});

describe("limits", () => {
  it("count what others put, delete and free without any limit, at once", async () => {
    const limited = await open({ maxStoreBytes: 10, maxSessionBytes: 8 });
    const other = await open();
    const first = await limited.store("1234", { source: "a", sessionId: "s" });
    await other.storeMany(
      ["56", "78", "90"].map((content) => ({ content, source: "b", sessionId: "s" })),
    );
    await expect(limited.store("x", { source: "a" })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
    await other.delete(first.artifactId);
    await expect(limited.store("x", { source: "a" })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
    await other.collectGarbage({ graceMs: 0 });
    await limited.store("abc", { source: "a", sessionId: "t" });
    await expect(limited.store("def", { source: "a", sessionId: "s" })).rejects.toMatchObject({
      message: "The session would hold 9 bytes, and its limit is 8; nothing was stored.",
    });
    await limited.store("x", { source: "a", sessionId: "s" });
  });

  it("count a content that waits for its collection by its own length, as every other", async () => {
    const store = await open({ maxStoreBytes: 200 });
    const { artifactId } = await store.store("a".repeat(50), { source: "a" });
    await store.delete(artifactId);
    await store.store("b".repeat(150), { source: "a" });
    await expect(store.store("c", { source: "a" })).rejects.toMatchObject({
      message: "The store would hold 201 bytes, and its limit is 200; nothing was stored.",
    });
  });
});

describe("what the folders hold", () => {
  it("is not listed again where nothing has changed, and is where something has", async () => {
    const store = await open();
    const { artifactId } = await store.store("1234", { source: "a" });
    let lists: string[] = [];
    const fs = {
      ...nodeFileSystem,
      list: (path: string) => (lists.push(path), nodeFileSystem.list(path)),
    };
    const folder = { fs, root, durability: "off" as const, owner: createOwner() };
    const reader = createUsageReader(folder, createBatches(folder));
    const later = Date.now() + 60_000;
    const bytesAt = async (nowMs: number): Promise<number> => {
      lists = [];
      const shards = await reader.read(nowMs);
      lists = lists.filter((path) => shardNames.some((name) => path.endsWith(join("blobs", name))));
      return shards.reduce((sum, { bytes }) => sum + bytes, 0);
    };
    expect([await bytesAt(0), lists.length]).toEqual([4, 256]);
    // So soon after a change, another one may have left the same time.
    expect([await bytesAt(later), lists.length]).toEqual([4, 256]);
    expect([await bytesAt(later), lists.length]).toEqual([4, 0]);
    await store.store("12345", { source: "a" });
    expect([await bytesAt(later), lists.length]).toEqual([9, 1]);
    // The time that counts is the system's own, which nobody can set back.
    await store.delete(artifactId);
    await store.collectGarbage({ graceMs: 0 });
    await utimes(join(root, "blobs", artifactId.slice(0, 2)), 0, 0);
    expect([await bytesAt(later), lists.length]).toEqual([5, 1]);
  });
});
