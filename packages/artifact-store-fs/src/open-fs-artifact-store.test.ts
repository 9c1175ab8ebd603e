import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFixedClock } from "@ccl/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFsArtifactStore } from "./open-fs-artifact-store.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-fs-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

describe("openFsArtifactStore", () => {
  it("keeps, finds, lists, deletes and frees", async () => {
    const clock = createFixedClock(1_700_000_000_000);
    const store = await openFsArtifactStore({ folder: root, clock });
    const a = await store.store("hello", { source: "tool:a", sessionId: "s" });
    const b = await store.store("hello", { source: "tool:b" });
    expect(a.artifactId).toBe(b.artifactId);
    const many = await store.storeMany(
      ["x", "y", "hello", "x"].map((content) => ({ content, source: "many", sessionId: "s" })),
    );
    expect(many).toHaveLength(4);
    const again = await openFsArtifactStore({ folder: root, clock });
    expect(new TextDecoder().decode(await again.retrieve(a.artifactId))).toBe("hello");
    expect((await again.getHandles(a.artifactId)).map((handle) => handle.source)).toEqual([
      "tool:a",
      "tool:b",
      "many",
    ]);
    expect((await again.listHandles({ sessionId: "s" })).handles).toHaveLength(5);
    expect(await again.delete(a.artifactId)).toBe(true);
    expect(await again.exists(a.artifactId)).toBe(false);
    expect(await again.collectGarbage({ graceMs: 1 })).toEqual({ artifactIds: [], freedBytes: 0 });
    clock.advance(1);
    expect(await again.collectGarbage({ graceMs: 1 })).toEqual({
      artifactIds: [a.artifactId],
      freedBytes: 5,
    });
    expect((await again.listHandles()).handles).toHaveLength(3);
    expect(await again.verify()).toEqual({ checked: 2, damaged: [], missing: [] });
    await again.close();
    await store.close();
    expect(await readdir(join(root, "staging"))).toEqual([]);
    expect(await readdir(join(root, "owners"))).toEqual([]);
  });

  it("streams", async () => {
    const store = await openFsArtifactStore({ folder: root });
    const piece = new Uint8Array(700_000).fill(7);
    const content = (async function* () {
      for (let index = 0; index < 5; index += 1) yield piece;
    })();
    const handle = await store.store(content, { source: "stream" });
    expect(handle.sizeBytes).toBe(3_500_000);
    const part = await store.retrieve(handle.artifactId, {
      range: { start: 1_000_000, end: 3_000_001 },
    });
    expect(part?.length).toBe(2_000_001);
    expect(await readdir(join(root, "staging"))).toEqual([]);
    await store.close();
  });
});
