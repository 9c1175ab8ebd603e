import assert from "node:assert/strict";
import type { ArtifactContent } from "../artifact-store.ts";
import {
  assertBytes,
  type Bench,
  drain,
  inPieces,
  mebibyte,
  type Rule,
  rulesOf,
  someBytes,
  startMs,
} from "./bench.ts";
import { ruleOf } from "./scenario.ts";

const source = "tool:test";
const sizesRoundAChunk = [0, 1, mebibyte - 1, mebibyte, mebibyte + 1, 2 * mebibyte + 3];

/** The forms in which content of these sizes is passed to the store. */
const forms: readonly [
  name: string,
  sizes: readonly number[],
  give: (bytes: Uint8Array) => ArtifactContent,
][] = [
  [
    "contents of sizes round the chunk size come back whole and as a stream",
    [...sizesRoundAChunk, 3 * mebibyte + 7],
    (bytes) => bytes,
  ],
  [
    "a content that comes as a stream of odd pieces is the same artifact as its bytes",
    sizesRoundAChunk,
    (bytes) => inPieces(bytes, 1, 0, 70_001, 3, mebibyte + 9),
  ],
  [
    "a stream may write over its pieces once the next one is asked for",
    [mebibyte + 5_000, 6 * mebibyte + 5_000],
    (bytes) => inReusedPieces(bytes, bytes.length > 2 * mebibyte ? mebibyte : 1_000),
  ],
];

/** Stores content and reads it back in every way. */
async function storeAndRead(
  bench: Bench,
  content: ArtifactContent,
  expected: Uint8Array,
): Promise<void> {
  const { store } = bench;
  const { artifactId, sizeBytes } = await store.store(content, { source });
  assert.equal(artifactId, await bench.idOf(expected));
  assert.equal(sizeBytes, expected.length);
  assert.equal(await store.exists(artifactId), true);
  await bench.expectContent(artifactId, expected);
  assertBytes(await store.retrieve(artifactId, { range: { start: 0 } }), expected);
  assertBytes(await drain(await store.retrieveStream(artifactId)), expected);
}

/** Stored content can be read under the right id, and its handle has the values that the caller passed. */
export const contentRules: Rule[] = [
  ...forms.map(([name, sizes, give]): Rule => ({
    name,
    async check(bench) {
      for (const size of sizes) {
        const bytes = someBytes(size, 3);
        await storeAndRead(bench, give(bytes), bytes);
      }
    },
  })),
  ruleOf([
    "the same bytes from two sources and sessions are one artifact and two handles",
    "1@a:x 1@b:y",
    "0 1",
  ]),
  ...rulesOf({
    async "text is kept as UTF-8 and bytes as they are, under the id that idOf gives"(bench) {
      const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
      for (const text of ["", "abc", `line\r\n\ttab \u0000 Grüße 世界 ${family} \ufeff`])
        await storeAndRead(bench, text, new TextEncoder().encode(text));
      const every = Uint8Array.from({ length: 1024 }, (_, index) => index);
      await storeAndRead(bench, every, every);
    },
    async "bytes are kept as they are at the moment of the call"(bench) {
      for (const [seed, size] of [100, 100, 2 * mebibyte + 1].entries()) {
        const content = someBytes(size, 5 + seed);
        const given = content.slice();
        // While another put is running, a store that could finish within the call has to wait.
        const other =
          seed === 1 ? bench.store.store(someBytes(2 * mebibyte, 4), { source }) : undefined;
        const call = bench.store.store(given, { source });
        given.fill(0);
        const { artifactId } = await call;
        await other;
        assert.equal(artifactId, await bench.idOf(content));
        await bench.expectContent(artifactId, content);
        given.fill(1);
        await bench.expectContent(artifactId, content);
      }
    },
    async "returned bytes are the caller's own"(bench) {
      for (const size of [100, mebibyte + 1]) {
        const { artifactId } = await bench.put(size);
        (await bench.store.retrieve(artifactId))?.fill(0);
        for await (const piece of (await bench.store.retrieveStream(artifactId)) ?? [])
          piece.fill(0);
        await bench.expectContent(artifactId, someBytes(size, size));
      }
    },
    async "a handle says what was given"({ store, clock }) {
      clock.advance(5);
      const options = {
        source: "tool:read_file",
        mimeType: "text/csv",
        sessionId: "session-1",
        summary: "A table.",
      };
      const handle = await store.store("a,b\n1,2\n", options);
      const { handleId, artifactId, ...said } = handle;
      assert.deepEqual(said, { ...options, sizeBytes: 8, createdAt: startMs + 5 });
      assert.equal(typeof handleId, "string");
      assert.deepEqual(await store.getHandles(artifactId), [handle]);
      assert.deepEqual(await store.listHandles(), { handles: [handle] });
    },
    async "a returned handle can be changed without changing the store"({ store }) {
      const handle = await store.store("a", { source });
      const before = { ...handle };
      for (const mine of [handle, ...(await store.getHandles(handle.artifactId))])
        mine.summary = mine.source = "changed";
      for (const mine of (await store.listHandles()).handles) mine.sizeBytes = -1;
      assert.deepEqual(await store.getHandles(handle.artifactId), [before]);
    },
    async "an artifact that is not there is undefined, not an error"(bench) {
      await bench.expectEmpty("absent");
      const absent = await bench.idOf("absent");
      const range = { start: 1 };
      assert.equal(await bench.store.retrieve(absent, { range }), undefined);
      assert.deepEqual(await bench.store.getHandles(absent), []);
      assert.equal(await bench.store.delete(absent), false);
    },
    async "an imported handle keeps its id, time and summary, and is added once"({ store, clock }) {
      const original = await store.store("imported", { source });
      await store.delete(original.artifactId);
      clock.advance(1000);
      const { handleId, createdAt } = original;
      const imported = { handleId, createdAt, summary: "token=not+really+secret+1234567890" };
      const first = await store.store("imported", { source, imported });
      assert.deepEqual(first, { ...original, summary: imported.summary });
      assert.deepEqual(await store.store("imported", { source, imported }), first);
      assert.deepEqual(await store.getHandles(first.artifactId), [first]);
    },
    async "handle ids that differ in case alone are two handles"({ store }) {
      const handles = [];
      for (const handleId of ["CASE", "Case", "case"]) {
        const imported = { handleId, createdAt: 1, summary: handleId };
        handles.push(await store.store("imported", { source, imported }));
      }
      assert.deepEqual(await store.getHandles(handles[0]?.artifactId ?? ""), handles);
      assert.deepEqual((await store.listHandles()).handles, handles);
    },
  }),
];

/** Yields the same buffer repeatedly, with new bytes each time. */
async function* inReusedPieces(
  content: Uint8Array,
  size: number,
): AsyncGenerator<Uint8Array, void> {
  const piece = new Uint8Array(size);
  for (let at = 0; at < content.length; at += size) {
    const part = content.subarray(at, at + size);
    piece.set(part);
    yield piece.subarray(0, part.length);
    piece.fill(0);
  }
}
