import assert from "node:assert/strict";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import {
  assertBytes,
  type Bench,
  drain,
  inPieces,
  mebibyte,
  expectError,
  type Rule,
  rulesOf,
  someBytes,
} from "./bench.ts";

const source = "tool:test";
const size = 2 * mebibyte + 500;
/** An offset in the second chunk of long content. */
const offset = mebibyte + 77;

type Read = "whole" | "stream" | readonly [start: number, end: number];

/** Kinds of damage, and the reads that fail after each. */
const damages: readonly [
  name: string,
  kind: "flip" | "cut",
  ...(readonly [length: number, offset: number, ...reads: Read[]])[],
][] = [
  [
    "a whole read of flipped bytes fails with damaged",
    "flip",
    [1, 0, "whole"],
    [5_000, 4_999, "whole"],
    [size, 0, "whole"],
    [size, size - 1, "whole"],
  ],
  [
    "a range of flipped bytes fails with damaged",
    "flip",
    [size, offset, [mebibyte, mebibyte + 10], [offset, offset + 10], [offset + 1, offset + 11]],
    [500, 400, [0, 5]],
  ],
  [
    "bytes that were cut off fail with damaged, whole, as a range and as a stream",
    "cut",
    [size, offset, "whole", "stream", [mebibyte + 70, size]],
    [500, 0, "whole"],
    [501, 400, "whole"],
  ],
];

async function failsToRead({ store }: Bench, artifactId: string, read: Read): Promise<void> {
  await expectError("damaged", async () => {
    if (read === "stream") return drain(await store.retrieveStream(artifactId));
    const range = read === "whole" ? undefined : { start: read[0], end: read[1] };
    return store.retrieve(artifactId, { range });
  });
}

/** Stores long content and damages its second chunk. */
async function putDamaged(
  bench: Bench,
  seed: number,
  kind: "flip" | "cut" = "flip",
): Promise<[string, Uint8Array]> {
  const { artifactId } = await bench.put(size, seed);
  await bench.corrupt(artifactId, { kind, offset });
  return [artifactId, someBytes(size, seed)];
}

/** Damaged bytes are never returned, and storing the same content again repairs them. */
export const damageRules: Rule[] = [
  ...damages.map(([name, kind, ...cases]): Rule => ({
    name,
    needs: "corrupt",
    async check(bench) {
      for (const [length, offset, ...reads] of cases) {
        const { artifactId } = await bench.put(length, 70 + offset);
        await bench.corrupt(artifactId, { kind, offset });
        for (const read of reads) await failsToRead(bench, artifactId, read);
      }
    },
  })),
  ...rulesOf(
    {
      async "a range beside flipped bytes gives right bytes or fails with damaged"(bench) {
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
            if (!ArtifactStoreError.isInstance(error) || error.code !== "damaged") throw error;
          }
        }
      },
      async "a stream hands out no flipped byte and fails with damaged"(bench) {
        const [artifactId, content] = await putDamaged(bench, 74);
        let at = 0;
        await expectError("damaged", async () => {
          for await (const piece of (await bench.store.retrieveStream(artifactId)) ?? []) {
            assertBytes(piece, content.subarray(at, at + piece.length));
            at += piece.length;
          }
        });
      },
      async "storing the same bytes repairs a damaged artifact and keeps its handles"(bench) {
        for (const kind of ["flip", "cut"] as const) {
          for (const length of [500, size]) {
            const first = await bench.put(length, 77);
            await bench.corrupt(first.artifactId, { kind, offset: length - 20 });
            const second = await bench.put(length, 77);
            await bench.expectContent(first.artifactId, someBytes(length, 77));
            assert.deepEqual(await bench.store.getHandles(first.artifactId), [first, second]);
            await bench.store.delete(first.artifactId);
          }
        }
      },
      async "a stream and a batch repair a damaged artifact too"(bench) {
        const [streamed, content] = await putDamaged(bench, 78);
        await bench.store.store(inPieces(content, 300_000), { source });
        await bench.expectContent(streamed, content);
        const [batched, other] = await putDamaged(bench, 79, "cut");
        const items = ["beside", other].map((content) => ({ content, source }));
        await bench.store.storeMany(items);
        await bench.expectContent(batched, other);
      },
      async "verify reports damaged artifacts and no others"(bench) {
        const [large] = await putDamaged(bench, 80);
        const small = await bench.put(300, 81);
        await bench.corrupt(small.artifactId, { kind: "flip", offset: 3 });
        const sound = await bench.put(300, 82);
        assert.deepEqual(await bench.store.verify(), {
          checked: 3,
          damaged: [large, small.artifactId].sort(),
          missing: [],
        });
        await bench.expectContent(sound.artifactId, someBytes(300, 82));
        assert.equal((await bench.store.listHandles()).handles.length, 3);
      },
      async "what verify has set aside fails with damaged and does not exist, until it is stored again"(
        bench,
      ) {
        for (const kind of ["flip", "cut"] as const) {
          const [artifactId, content] = await putDamaged(bench, 83, kind);
          await bench.store.verify();
          for (const read of ["whole", "stream", [0, 1]] as const)
            await failsToRead(bench, artifactId, read);
          assert.equal(await bench.store.exists(artifactId), false);
          await bench.store.store(content, { source });
          assert.equal(await bench.store.exists(artifactId), true);
          await bench.expectContent(artifactId, content);
          assert.deepEqual((await bench.store.verify()).damaged, []);
        }
      },
      async "a damaged artifact harms no other one"(bench) {
        const sound = await bench.put(size, 85);
        const [artifactId] = await putDamaged(bench, 86);
        await bench.store.retrieve(artifactId).catch(() => undefined);
        await bench.expectContent(sound.artifactId, someBytes(size, 85));
        assert.equal(await bench.store.delete(artifactId), true);
        const { artifactIds } = await bench.store.collectGarbage({ graceMs: 0 });
        assert.deepEqual(artifactIds, [artifactId]);
      },
    },
    "corrupt",
  ),
  {
    name: "a damaged handle is named, harms no other one, and can be deleted or replaced",
    needs: "corruptHandle",
    async check(bench) {
      const { store } = bench;
      const first = await bench.put(500, 90);
      const second = await bench.put(500, 90);
      const third = await bench.put(500, 91);
      const { artifactId, handleId, createdAt, summary } = second;
      await bench.corruptHandle(second);
      const damaged = [{ handleId, artifactId }];
      assert.deepEqual(await store.listHandles(), { handles: [first, third], damaged });
      assert.deepEqual(await store.getHandles(artifactId), [first]);
      await bench.expectContent(artifactId, someBytes(500, 90));
      const report = { checked: 2, damaged: [], missing: [], damagedHandles: damaged };
      assert.deepEqual(await store.verify(), report);
      const page = await store.listHandles({ limit: 2 });
      assert.deepEqual((await store.listHandles({ cursor: page.cursor })).handles, [third]);
      const imported = { handleId, createdAt, summary };
      assert.deepEqual(await store.store(someBytes(500, 90), { source, imported }), second);
      assert.deepEqual(await store.getHandles(artifactId), [first, second]);
      await bench.corruptHandle(third);
      await expectError("damaged", () => store.getHandles(third.artifactId));
      const removal = { handleId: third.handleId };
      assert.equal(await store.delete(third.artifactId, removal), true);
      assert.deepEqual(await store.listHandles(), { handles: [first, second] });
    },
  },
];

/** Rules for `verify` on an undamaged store. */
export const verifyRules: Rule[] = rulesOf({
  async "verify of a sound store finds nothing and reads every artifact that has a handle"(bench) {
    assert.deepEqual(await bench.store.verify(), { checked: 0, damaged: [], missing: [] });
    for (const length of [0, 10, mebibyte, mebibyte + 1, 10]) await bench.put(length);
    const deleted = await bench.put(11);
    await bench.store.delete(deleted.artifactId);
    assert.deepEqual(await bench.store.verify(), { checked: 4, damaged: [], missing: [] });
  },
  async "verify of a sample reads that many artifacts"(bench) {
    for (let seed = 0; seed < 12; seed += 1) await bench.put(10, seed);
    for (const sample of [0, 1, 5, 11, 12, 50])
      assert.equal((await bench.store.verify({ sample })).checked, Math.min(sample, 12));
  },
});
