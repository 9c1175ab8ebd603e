import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256Hex } from "@ccl/core";
import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireBuilt, runChild } from "../test-support/child-process.ts";
import { openFsArtifactStore } from "./open-fs-artifact-store.ts";
import { kills } from "../../../scripts/lengths/test-length.mjs";

const storeWriter = `
  const store = await openFsArtifactStore({ folder: root, durability });
  for (let round = 0; ; round += 1) {
    const filler = Buffer.alloc(1 + random(300_000), String(seed) + round);
    const pieces = async function* () { for (let i = 0; i < 12; i += 1) yield Buffer.concat([filler, Buffer.from(String(i))]); };
    await Promise.all([
      store.store(filler, { source: "single" }).then((handle) => say([handle])),
      store.store("the same bytes", { source: "again" }).then((handle) => say([handle])),
      store.store(pieces(), { source: "stream" }).then((handle) => say([handle])),
      store.storeMany([0, 1, 2].map((i) => ({ content: seed + "/" + round + "/" + i, source: "batch " + seed + "/" + round }))).then(say),
    ]);
  }
`;

/** Writes in place under the final name: what the temporary files are for. */
const naiveWriter = `
  fs.mkdirSync(root, { recursive: true });
  for (let round = 0; ; round += 1) {
    const content = Buffer.alloc(4_000_000 + random(4_000_000), String(seed) + round);
    const file = await fs.promises.open(root + "/" + sha(content), "w");
    say("begun");
    for (let at = 0; at < content.length; at += 65_536) await file.write(content.subarray(at, at + 65_536));
    await file.sync();
    await file.close();
  }
`;

let root = "";
beforeAll(requireBuilt);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-kill-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Names of blobs, but for those that are known, whose bytes hash to something else; the others are known from now on. */
async function wrongBlobs(known = new Set<string>()): Promise<string[]> {
  const wrong: string[] = [];
  for (const folder of await readdir(join(root, "blobs"))) {
    for (const name of await readdir(join(root, "blobs", folder))) {
      if (name.length !== 64 || known.has(name)) continue;
      const bytes = await readFile(join(root, "blobs", folder, name));
      const start = bytes.indexOf(0x0a) + 1;
      const header: { sizeBytes: number } = JSON.parse(bytes.subarray(17, start).toString());
      const content = bytes.subarray(start, start + header.sizeBytes);
      if (createHash("sha256").update(content).digest("hex") === name) known.add(name);
      else wrong.push(name);
    }
  }
  return wrong;
}

async function expectKept(
  store: ArtifactStore,
  acknowledged: readonly ArtifactHandle[],
): Promise<void> {
  for (const { artifactId, handleId } of acknowledged) {
    const bytes = await store.retrieve(artifactId);
    expect(bytes && sha256Hex(bytes)).toBe(artifactId);
    expect((await store.getHandles(artifactId)).map((handle) => handle.handleId)).toContain(
      handleId,
    );
  }
}

describe("a process that is killed", () => {
  it(`finds all that was acknowledged, whole, and nothing by halves, ${kills} times`, async () => {
    const acknowledged: ArtifactHandle[] = [];
    const right = new Set<string>();
    for (let kill = 0; kill < kills; kill += 1) {
      const killAt = 1 + Math.floor(Math.random() * 30);
      let count = 0;
      const onLine = (_value: unknown, killChild: () => void): void => {
        count += 1;
        if (count === killAt) setTimeout(killChild, Math.random() * 8);
      };
      const lines = await runChild(storeWriter, { root, seed: kill + 1, onLine });
      const latest = (lines as ArtifactHandle[][]).flat();
      acknowledged.push(...latest);
      expect(await wrongBlobs(right)).toEqual([]);
      const store = await openFsArtifactStore({ folder: root });
      // Those of the former processes once more at the end: to read them after each kill grows with its square.
      await expectKept(store, latest);
      const batches = new Map<string, number>();
      for (const { source } of await allHandles(store)) {
        if (source.startsWith("batch")) batches.set(source, (batches.get(source) ?? 0) + 1);
      }
      expect([...batches].filter(([, size]) => size !== 3)).toEqual([]);
      expect(await readdir(join(root, "staging"))).toEqual([]);
      await store.close();
      expect(await readdir(join(root, "owners"))).toEqual([]);
    }
    expect(await wrongBlobs()).toEqual([]);
    const store = await openFsArtifactStore({ folder: root });
    await expectKept(store, acknowledged);
    expect(await store.verify()).toMatchObject({ damaged: [], missing: [] });
    await store.close();
    expect(acknowledged.length).toBeGreaterThan(0);
  });

  it("would be caught with a torn file by a writer in place, so the check can fail", async () => {
    let torn = 0;
    for (let kill = 0; kill < 2 * kills && torn === 0; kill += 1) {
      await runChild(naiveWriter, {
        root,
        seed: kill + 1,
        onLine: (_value, killChild) => setTimeout(killChild, 2),
      });
      for (const name of await readdir(root)) {
        if (sha256Hex(await readFile(join(root, name))) !== name) torn += 1;
      }
    }
    expect(torn).toBeGreaterThan(0);
  });
});

async function allHandles(store: ArtifactStore): Promise<ArtifactHandle[]> {
  const all: ArtifactHandle[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.listHandles({
      limit: 1_000,
      cursor,
    });
    all.push(...page.handles);
    cursor = page.cursor;
    if (cursor === undefined) return all;
  }
}
