import type { ArtifactStore, StoreLimits } from "@ccl/artifact-store";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFsArtifactStore } from "../open-fs-artifact-store.ts";

let root = "";
const opened: ArtifactStore[] = [];

async function open(limits?: StoreLimits): Promise<ArtifactStore> {
  const store = await openFsArtifactStore({ folder: root, durability: "off", limits });
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
