import { ArtifactStoreError } from "../artifact-store-error.ts";
import { rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import { assertBytes, drain, mebibyte, someBytes, type Rule } from "./bench.ts";

const source = "tool:test";

/** Collecting blobs without references. */
export const garbageRules: Rule[] = [
  {
    name: "a collection frees what has no reference, and says what",
    async check(bench) {
      const { store } = bench;
      const kept = await bench.put(100, { seed: 1 });
      const freed = [await bench.put(200, { seed: 2 }), await bench.put(300, { seed: 3 })];
      for (const { artifactId } of freed) await store.delete(artifactId);
      assert.deepEqual(await store.collectGarbage({ graceMs: 0 }), {
        artifactIds: freed.map(({ artifactId }) => artifactId).sort(),
        freedBytes: bench.storedBytes(200) + bench.storedBytes(300),
      });
      assert.deepEqual(await store.collectGarbage({ graceMs: 0 }), {
        artifactIds: [],
        freedBytes: 0,
      });
      await bench.holds(kept.artifactId, someBytes(100, 1));
    },
  },
  {
    name: "a collection spares an artifact that another handle still names",
    async check(bench) {
      const { artifactId } = await bench.put(100, { seed: 1, sessionId: "s1" });
      await bench.put(100, { seed: 1, sessionId: "s2" });
      await bench.store.delete(artifactId, { sessionId: "s1" });
      assert.deepEqual((await bench.store.collectGarbage({ graceMs: 0 })).artifactIds, []);
      await bench.holds(artifactId, someBytes(100, 1));
    },
  },
  {
    name: "the grace age counts from the loss of the last reference",
    async check({ store, clock }) {
      const { artifactId } = await store.store("grace", { source });
      clock.advance(10_000);
      await store.delete(artifactId);
      clock.advance(999);
      assert.deepEqual((await store.collectGarbage({ graceMs: 1_000 })).artifactIds, []);
      clock.advance(1);
      assert.deepEqual((await store.collectGarbage({ graceMs: 1_000 })).artifactIds, [artifactId]);
    },
  },
  {
    name: "a dry run says what would go and removes nothing",
    async check({ store }) {
      const { artifactId } = await store.store("dry", { source });
      await store.delete(artifactId);
      const report = await store.collectGarbage({ graceMs: 0, dryRun: true });
      assert.deepEqual(report.artifactIds, [artifactId]);
      assert.deepEqual(await store.collectGarbage({ graceMs: 0 }), report);
    },
  },
  {
    name: "a collection of named artifacts frees no others, and none that is in use",
    async check({ store }) {
      const [first, second, used] = await store.storeMany(
        ["a", "b", "c"].map((content) => ({ content, source })),
      );
      assert.ok(first && second && used);
      for (const { artifactId } of [first, second]) await store.delete(artifactId);
      const artifactIds = [first.artifactId, used.artifactId, "0".repeat(64)];
      assert.deepEqual((await store.collectGarbage({ graceMs: 0, artifactIds })).artifactIds, [
        first.artifactId,
      ]);
      assert.deepEqual(
        (await store.collectGarbage({ graceMs: 0, artifactIds: [] })).artifactIds,
        [],
      );
      assert.deepEqual((await store.collectGarbage({ graceMs: 0 })).artifactIds, [
        second.artifactId,
      ]);
      assert.equal(await store.exists(used.artifactId), true);
    },
  },
  {
    name: "bytes that are stored again are not collected",
    async check(bench) {
      const { artifactId } = await bench.put(100, { seed: 1 });
      await bench.store.delete(artifactId);
      bench.clock.advance(5_000);
      await bench.put(100, { seed: 1 });
      assert.deepEqual((await bench.store.collectGarbage({ graceMs: 0 })).artifactIds, []);
      await bench.holds(artifactId, someBytes(100, 1));
    },
  },
  {
    name: "a collection that meets a put of the same bytes loses nothing",
    async check(bench) {
      const contents = [someBytes(100, 60), someBytes(1024 * 1024 + 1, 61)];
      for (let turn = 0; turn < 12; turn += 1) {
        for (const content of turn < 4 ? contents : contents.slice(0, 1)) {
          const { artifactId } = await bench.store.store(content, { source });
          await bench.store.delete(artifactId);
          const collections = [0, 1].map(() => bench.store.collectGarbage({ graceMs: 0 }));
          const puts = [0, 1].map(() => bench.store.store(content, { source }));
          await Promise.all([...puts, ...collections]);
          await bench.holds(artifactId, content);
          await bench.store.delete(artifactId);
        }
      }
    },
  },
  {
    name: "a reader whose artifact is collected gets all of its bytes, or an error, never fewer",
    async check(bench) {
      const content = someBytes(3 * mebibyte + 1, 62);
      const { artifactId } = await bench.store.store(content, { source });
      const stream = await bench.store.retrieveStream(artifactId);
      assert.ok(stream !== undefined);
      const read = inFull(stream, async () => {
        await bench.store.delete(artifactId);
        await bench.store.collectGarbage({ graceMs: 0 });
      });
      const [outcome] = await Promise.allSettled([read]);
      if (outcome.status === "fulfilled") assertBytes(outcome.value, content);
      else
        await rejectsWith(ArtifactStoreError, "store_failed", () => Promise.reject(outcome.reason));
      assert.equal(await bench.store.retrieve(artifactId), undefined);
    },
  },
];

/** Reads all bytes and runs `meanwhile` after the first piece. */
async function inFull(
  stream: AsyncIterable<Uint8Array>,
  meanwhile: () => Promise<void>,
): Promise<Uint8Array> {
  const interrupted = async function* (): AsyncGenerator<Uint8Array, void> {
    let isFirst = true;
    for await (const piece of stream) {
      yield piece;
      if (isFirst) await meanwhile();
      isFirst = false;
    }
  };
  return drain(interrupted());
}
