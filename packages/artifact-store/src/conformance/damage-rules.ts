import { rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import {
  assertBytes,
  drain,
  inPieces,
  listAll,
  mebibyte,
  someBytes,
  type Bench,
  type Rule,
} from "./bench.ts";

const source = "tool:test";
const size = 2 * mebibyte + 500;

/** Stores a long content and damages its second chunk. */
async function putDamaged(
  bench: Bench,
  seed: number,
  kind: "flip" | "cut" = "flip",
): Promise<[string, Uint8Array]> {
  const content = someBytes(size, seed);
  const { artifactId } = await bench.store.store(content, { source });
  await bench.corrupt(artifactId, { kind, offset: mebibyte + 77 });
  return [artifactId, content];
}

/** Damaged bytes are never returned, and storing the same content again repairs them. */
export const damageRules: Rule[] = [
  {
    name: "a whole read of flipped bytes fails with corrupt",
    needs: "corrupt",
    async check(bench) {
      for (const [length, offset] of [
        [1, 0],
        [5_000, 4_999],
        [size, 0],
        [size, size - 1],
      ] as const) {
        const { artifactId } = await bench.put(length, { seed: 70 + offset });
        await bench.corrupt(artifactId, { kind: "flip", offset });
        await rejectsWith(ArtifactStoreError, "corrupt", () => bench.store.retrieve(artifactId));
      }
    },
  },
  {
    name: "a range of flipped bytes fails with corrupt",
    needs: "corrupt",
    async check(bench) {
      const [artifactId] = await putDamaged(bench, 71);
      for (const start of [mebibyte, mebibyte + 77, mebibyte + 78]) {
        const range = { start, end: start + 10 };
        await rejectsWith(ArtifactStoreError, "corrupt", () =>
          bench.store.retrieve(artifactId, { range }),
        );
      }
      const small = await bench.put(500, { seed: 72 });
      await bench.corrupt(small.artifactId, { kind: "flip", offset: 400 });
      await rejectsWith(ArtifactStoreError, "corrupt", () =>
        bench.store.retrieve(small.artifactId, { range: { start: 0, end: 5 } }),
      );
    },
  },
  {
    name: "a range beside flipped bytes gives right bytes or fails with corrupt",
    needs: "corrupt",
    async check(bench) {
      const [artifactId, content] = await putDamaged(bench, 73);
      for (const range of [
        { start: 10, end: 20 },
        { start: 2 * mebibyte + 1, end: size },
      ]) {
        try {
          assertBytes(
            await bench.store.retrieve(artifactId, { range }),
            content.subarray(range.start, range.end),
          );
        } catch (error) {
          if (!ArtifactStoreError.isInstance(error) || error.code !== "corrupt") throw error;
        }
      }
    },
  },
  {
    name: "a stream hands out no flipped byte and fails with corrupt",
    needs: "corrupt",
    async check(bench) {
      const [artifactId, content] = await putDamaged(bench, 74);
      const pieces: Uint8Array[] = [];
      await rejectsWith(ArtifactStoreError, "corrupt", async () => {
        for await (const piece of (await bench.store.retrieveStream(artifactId)) ?? [])
          pieces.push(piece);
      });
      let at = 0;
      for (const piece of pieces) {
        assertBytes(piece, content.subarray(at, at + piece.length));
        at += piece.length;
      }
    },
  },
  {
    name: "bytes that were cut off fail with corrupt, whole, as a range and as a stream",
    needs: "corrupt",
    async check(bench) {
      const [artifactId] = await putDamaged(bench, 75, "cut");
      await rejectsWith(ArtifactStoreError, "corrupt", () => bench.store.retrieve(artifactId));
      await rejectsWith(ArtifactStoreError, "corrupt", async () =>
        drain(await bench.store.retrieveStream(artifactId)),
      );
      const range = { start: mebibyte + 70, end: size };
      await rejectsWith(ArtifactStoreError, "corrupt", () =>
        bench.store.retrieve(artifactId, { range }),
      );
      for (const offset of [0, 400]) {
        const small = await bench.put(500, { seed: 76 + offset });
        await bench.corrupt(small.artifactId, { kind: "cut", offset });
        await rejectsWith(ArtifactStoreError, "corrupt", () =>
          bench.store.retrieve(small.artifactId),
        );
      }
    },
  },
  {
    name: "storing the same bytes repairs a damaged artifact and keeps its handles",
    needs: "corrupt",
    async check(bench) {
      for (const kind of ["flip", "cut"] as const) {
        for (const length of [500, size]) {
          const first = await bench.put(length, { seed: 77 });
          await bench.corrupt(first.artifactId, { kind, offset: length - 20 });
          const second = await bench.put(length, { seed: 77 });
          await bench.holds(first.artifactId, someBytes(length, 77));
          assert.deepEqual(await bench.store.getHandles(first.artifactId), [first, second]);
          await bench.store.delete(first.artifactId);
        }
      }
    },
  },
  {
    name: "a stream and a batch repair a damaged artifact too",
    needs: "corrupt",
    async check(bench) {
      const [streamed, content] = await putDamaged(bench, 78);
      await bench.store.store(inPieces(content, 300_000), { source });
      await bench.holds(streamed, content);
      const [batched, other] = await putDamaged(bench, 79, "cut");
      await bench.store.storeMany([
        { content: "beside", source },
        { content: other, source },
      ]);
      await bench.holds(batched, other);
    },
  },
  {
    name: "verify reports damaged artifacts and no others",
    needs: "corrupt",
    async check(bench) {
      const [large] = await putDamaged(bench, 80);
      const small = await bench.put(300, { seed: 81 });
      await bench.corrupt(small.artifactId, { kind: "flip", offset: 3 });
      const sound = await bench.put(300, { seed: 82 });
      const report = await bench.store.verify();
      assert.deepEqual(report, {
        checked: 3,
        corrupt: [large, small.artifactId].sort(),
        missing: [],
      });
      await bench.holds(sound.artifactId, someBytes(300, 82));
      assert.equal((await listAll(bench.store)).length, 3);
    },
  },
  {
    name: "what verify has set aside fails with corrupt and does not exist, until it is stored again",
    needs: "corrupt",
    async check(bench) {
      for (const seed of [83, 84]) {
        const [artifactId, content] = await putDamaged(bench, seed, seed === 83 ? "flip" : "cut");
        await bench.store.verify();
        await rejectsWith(ArtifactStoreError, "corrupt", () => bench.store.retrieve(artifactId));
        await rejectsWith(ArtifactStoreError, "corrupt", () =>
          bench.store.retrieve(artifactId, { range: { start: 0, end: 1 } }),
        );
        await rejectsWith(ArtifactStoreError, "corrupt", async () =>
          drain(await bench.store.retrieveStream(artifactId)),
        );
        assert.equal(await bench.store.exists(artifactId), false);
        await bench.store.store(content, { source });
        assert.equal(await bench.store.exists(artifactId), true);
        await bench.holds(artifactId, content);
        assert.deepEqual((await bench.store.verify()).corrupt, []);
      }
    },
  },
  {
    name: "a damaged artifact harms no other one",
    needs: "corrupt",
    async check(bench) {
      const sound = await bench.put(size, { seed: 85 });
      const [artifactId] = await putDamaged(bench, 86);
      await bench.store.retrieve(artifactId).catch(() => undefined);
      await bench.holds(sound.artifactId, someBytes(size, 85));
      assert.equal(await bench.store.delete(artifactId), true);
      assert.deepEqual((await bench.store.collectGarbage({ graceMs: 0 })).artifactIds, [
        artifactId,
      ]);
    },
  },
];

/** Checking a store without damage. */
export const verifyRules: Rule[] = [
  {
    name: "verify of a sound store finds nothing and reads every artifact that has a handle",
    async check(bench) {
      assert.deepEqual(await bench.store.verify(), { checked: 0, corrupt: [], missing: [] });
      for (const length of [0, 10, mebibyte, mebibyte + 1]) await bench.put(length);
      await bench.put(10);
      const deleted = await bench.put(11);
      await bench.store.delete(deleted.artifactId);
      assert.deepEqual(await bench.store.verify(), { checked: 4, corrupt: [], missing: [] });
    },
  },
  {
    name: "verify of a sample reads that many artifacts",
    async check(bench) {
      for (let seed = 0; seed < 12; seed += 1) await bench.put(10, { seed });
      for (const sample of [0, 1, 5, 11, 12, 50]) {
        assert.equal((await bench.store.verify({ sample })).checked, Math.min(sample, 12));
      }
    },
  },
];
