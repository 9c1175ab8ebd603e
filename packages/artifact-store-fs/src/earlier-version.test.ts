import { openFsArtifactStore } from "./index.ts";
import { gunzipSync } from "node:zlib";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ArtifactHandle } from "@ccl/artifact-store";
import { expect, it } from "vitest";

const long = new Uint8Array(2 * 1024 * 1024 + 3).fill(7);

it("opens what an earlier version wrote, and reads, deletes and collects it", async () => {
  const packed = await readFile(new URL("__fixtures__/earlier-version.json.gz", import.meta.url));
  const { handles, files }: { handles: ArtifactHandle[]; files: Record<string, string> } =
    JSON.parse(gunzipSync(packed).toString("utf8"));
  const folder = await mkdtemp(join(tmpdir(), "ccl-earlier-"));
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), Buffer.from(bytes, "base64"));
  }
  const limits = { maxStoreBytes: 2 ** 26, maxSessionBytes: 2 ** 25 };
  const store = await openFsArtifactStore({ root: folder, limits });
  try {
    expect(await store.listHandles()).toEqual({ handles });
    const ids = new Set(handles.map(({ artifactId }) => artifactId));
    expect(await store.verify()).toEqual({ checked: ids.size, corrupt: [], missing: [] });
    const streamed = handles.find(({ sizeBytes }) => sizeBytes === long.length);
    const bytes = await store.retrieve(streamed?.artifactId ?? "");
    expect(bytes !== undefined && Buffer.compare(bytes, long)).toBe(0);
    expect((await store.collectGarbage({ graceMs: 0 })).artifactIds).toHaveLength(1);
    const again = await store.store("one", { source: "tool:new", sessionId: "s1" });
    expect(await store.getHandles(again.artifactId)).toHaveLength(3);
    for (const artifactId of ids) expect(await store.delete(artifactId)).toBe(true);
    expect((await store.collectGarbage({ graceMs: 0 })).artifactIds).toHaveLength(ids.size);
    expect(await store.listHandles()).toEqual({ handles: [] });
  } finally {
    await store.close();

    await rm(folder, { recursive: true });
  }
});
