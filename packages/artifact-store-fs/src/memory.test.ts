import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { requireBuilt, runChild } from "../test-support/child-process.ts";
import { byLength } from "../../../scripts/lengths/test-length.mjs";

const sizeMiB = byLength({ test: 64, faults: 1024 });

const script = `
  const store = await openFsArtifactStore({ folder: root, durability });
  let peak = 0;
  let idle = Infinity;
  const look = () => { peak = Math.max(peak, process.memoryUsage.rss()); };
  const block = Buffer.alloc(1 << 20);
  for (const round of [0, 1, 2]) await store.store("warm " + round, { source: "a" });
  idle = process.memoryUsage.rss();
  const pieces = async function* () {
    for (let index = 0; index < ${sizeMiB}; index += 1) { look(); block.writeUInt32LE(index); yield block; }
  };
  const handle = await store.store(pieces(), { source: "a" });
  let bytes = 0;
  for await (const piece of await store.retrieveStream(handle.artifactId)) { look(); bytes += piece.length; }
  await store.close();
  say({ bytes, aboveIdleMiB: (peak - idle) / 2 ** 20 });
`;

beforeAll(requireBuilt);

it(`stores and reads ${sizeMiB} MiB as a stream within 64 MiB above the idle process`, async () => {
  const root = await mkdtemp(join(tmpdir(), "ccl-memory-"));
  try {
    const lines = await runChild(script, { root, seed: 1, durability: "normal" });
    expect(lines).toMatchObject([{ bytes: sizeMiB * 2 ** 20 }]);
    const [{ aboveIdleMiB = Infinity } = {}] = lines as { aboveIdleMiB?: number }[];
    console.warn(`peak memory above idle: ${aboveIdleMiB.toFixed(1)} MiB`);
    expect(aboveIdleMiB).toBeLessThan(64);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
