// What an earlier version of an artifact store wrote, and what a store over it must contain. Used by tests of the
// stores.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";

const long = new Uint8Array(2 * 1024 * 1024 + 3).fill(7);

/** The limits that the earlier stores were opened with. */
export const earlierLimits = { maxStoreBytes: 2 ** 26, maxSessionBytes: 2 ** 25 };

/** Reads the handles and the files, in base64 by name. */
export async function readEarlier(fixture) {
  return JSON.parse(gunzipSync(await readFile(fixture)).toString("utf8"));
}

/** Writes the files into a new folder. */
export async function unpackEarlier(files) {
  const folder = await mkdtemp(join(tmpdir(), "ccl-earlier-"));
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), Buffer.from(bytes, "base64"));
  }
  return folder;
}

/** Reads, adds, deletes and collects everything. Rejects if something is missing. */
export async function useEarlier(store, handles) {
  assert.deepEqual(await store.listHandles(), { handles });
  const ids = new Set(handles.map(({ artifactId }) => artifactId));
  assert.deepEqual(await store.verify(), { checked: ids.size, damaged: [], missing: [] });
  const streamed = handles.find(({ sizeBytes }) => sizeBytes === long.length);
  const bytes = await store.retrieve(streamed?.artifactId ?? "");
  assert.ok(bytes !== undefined && Buffer.compare(bytes, long) === 0);
  assert.equal((await store.collectGarbage({ graceMs: 0 })).artifactIds.length, 1);
  const again = await store.store("one", { source: "tool:new", sessionId: "s1" });
  assert.equal((await store.getHandles(again.artifactId)).length, 3);
  for (const artifactId of ids) assert.equal(await store.delete(artifactId), true);
  assert.equal((await store.collectGarbage({ graceMs: 0 })).artifactIds.length, ids.size);
  assert.deepEqual(await store.listHandles(), { handles: [] });
}
