import { ArtifactStoreError } from "../artifact-store-error.ts";
import { rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import { assertBytes, drain, inPieces, mebibyte, someBytes, startMs, type Rule } from "./bench.ts";

const source = "tool:test";
const sizesRoundAChunk = [1, mebibyte - 1, mebibyte, mebibyte + 1, 2 * mebibyte, 3 * mebibyte + 7];

/** A stored content reads back under the right id, with a handle that holds what the caller gave. */
export const contentRules: Rule[] = [
  {
    name: "the id is the SHA-256 of the content, or what idOf gives",
    async check(bench) {
      for (const content of ["", "abc", "Grüße, 世界", "\u{1f600}"]) {
        const { artifactId } = await bench.store.store(content, { source });
        assert.equal(artifactId, await bench.idOf(content));
      }
    },
  },
  {
    name: "text is kept as UTF-8 and bytes as they are",
    async check({ store }) {
      const text = "line\r\n\ttab \u0000 Grüße 世界 \u{1f468}\u200d\u{1f469}\u200d\u{1f467} \ufeff";
      const asText = await store.store(text, { source });
      assertBytes(await store.retrieve(asText.artifactId), new TextEncoder().encode(text));
      const every = Uint8Array.from({ length: 1024 }, (_, index) => index);
      const asBytes = await store.store(every, { source });
      assertBytes(await store.retrieve(asBytes.artifactId), every);
    },
  },
  {
    name: "text with a lone surrogate is refused",
    async check(bench) {
      await rejectsWith(ArtifactStoreError, "invalid_input", () =>
        bench.store.store("a\ud800b", { source }),
      );
      await bench.isEmpty();
    },
  },
  {
    name: "an empty content is an artifact",
    async check({ store }) {
      const handle = await store.store(new Uint8Array(), { source });
      assert.equal(handle.sizeBytes, 0);
      assert.equal(await store.exists(handle.artifactId), true);
      assertBytes(await store.retrieve(handle.artifactId), new Uint8Array());
      assertBytes(
        await store.retrieve(handle.artifactId, { range: { start: 0, end: 9 } }),
        new Uint8Array(),
      );
      assertBytes(await drain(await store.retrieveStream(handle.artifactId)), new Uint8Array());
      const streamed = await store.store(inPieces(new Uint8Array(), 1), { source });
      assert.equal(streamed.artifactId, handle.artifactId);
    },
  },
  {
    name: "contents of sizes round the chunk size come back whole",
    async check({ store }) {
      for (const size of sizesRoundAChunk) {
        const content = someBytes(size, 1);
        const handle = await store.store(content, { source });
        assert.equal(handle.sizeBytes, size);
        assertBytes(await store.retrieve(handle.artifactId), content);
      }
    },
  },
  {
    name: "contents come back as a stream in the right order",
    async check({ store }) {
      for (const size of sizesRoundAChunk) {
        const content = someBytes(size, 2);
        const { artifactId } = await store.store(content, { source });
        assertBytes(await drain(await store.retrieveStream(artifactId)), content);
      }
    },
  },
  {
    name: "a content that comes as a stream of odd pieces is the same artifact as its bytes",
    async check(bench) {
      for (const size of [0, 5, mebibyte, 2 * mebibyte + 3]) {
        const content = someBytes(size, 3);
        const handle = await bench.store.store(inPieces(content, 1, 0, 70_001, 3, mebibyte + 9), {
          source,
        });
        assert.equal(handle.artifactId, await bench.idOf(content));
        assert.equal(handle.sizeBytes, size);
        await bench.holds(handle.artifactId, content);
      }
    },
  },
  {
    name: "a stream may write over its pieces once the next one is asked for",
    async check(bench) {
      for (const [size, pieceSize] of [
        [mebibyte + 5_000, 1_000],
        [6 * mebibyte + 5_000, mebibyte],
      ] as const) {
        const content = someBytes(size, 4);
        const { artifactId } = await bench.store.store(inReusedPieces(content, pieceSize), {
          source,
        });
        await bench.holds(artifactId, content);
      }
    },
  },
  {
    name: "bytes are kept as they are at the moment of the call",
    async check(bench) {
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
        await bench.holds(artifactId, content);
        given.fill(1);
        await bench.holds(artifactId, content);
      }
    },
  },
  {
    name: "returned bytes are the caller's own",
    async check(bench) {
      for (const size of [100, mebibyte + 1]) {
        const content = someBytes(size, 6);
        const { artifactId } = await bench.store.store(content, { source });
        (await bench.store.retrieve(artifactId))?.fill(0);
        for await (const piece of (await bench.store.retrieveStream(artifactId)) ?? [])
          piece.fill(0);
        await bench.holds(artifactId, content);
      }
    },
  },
  {
    name: "a handle says what was given",
    async check({ store, clock }) {
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
  },
  {
    name: "a handle without options has no session and the default type of its content",
    async check({ store }) {
      const text = await store.store("a", { source });
      const bytes = await store.store(new Uint8Array(1), { source });
      const stream = await store.store(inPieces(new Uint8Array(2), 1), { source });
      assert.ok(!("sessionId" in text));
      assert.ok(
        (await store.getHandles(text.artifactId)).every((handle) => !("sessionId" in handle)),
      );
      assert.equal(text.mimeType, "text/plain; charset=utf-8");
      assert.deepEqual(
        [bytes.mimeType, stream.mimeType],
        ["application/octet-stream", "application/octet-stream"],
      );
    },
  },
  {
    name: "a returned handle can be changed without changing the store",
    async check({ store }) {
      const handle = await store.store("a", { source });
      const before = { ...handle };
      for (const mine of [handle, ...(await store.getHandles(handle.artifactId))])
        mine.summary = mine.source = "changed";
      for (const mine of (await store.listHandles()).handles) mine.sizeBytes = -1;
      assert.deepEqual(await store.getHandles(handle.artifactId), [before]);
    },
  },
  {
    name: "the same bytes from two sources and sessions are one artifact and two handles",
    async check({ store }) {
      const first = await store.store("same", { source: "tool:a", sessionId: "s1" });
      const second = await store.store(new TextEncoder().encode("same"), {
        source: "tool:b",
        sessionId: "s2",
      });
      assert.equal(first.artifactId, second.artifactId);
      assert.notEqual(first.handleId, second.handleId);
      assert.deepEqual(await store.getHandles(first.artifactId), [first, second]);
    },
  },
  {
    name: "an expected id is accepted when it is right",
    async check(bench) {
      const expectedId = await bench.idOf("expected");
      const { artifactId } = await bench.store.store("expected", { source, expectedId });
      assert.equal(artifactId, expectedId);
    },
  },
  {
    name: "an expected id that is wrong is refused and nothing is kept",
    async check(bench) {
      const expectedId = await bench.idOf("something else");
      const contents = ["small", someBytes(mebibyte + 1, 7)];
      for (const content of contents) {
        await rejectsWith(ArtifactStoreError, "id_mismatch", () =>
          bench.store.store(content, { source, expectedId }),
        );
      }
      await bench.isEmpty(...contents);
    },
  },
  {
    name: "an artifact that is not there is undefined, not an error",
    async check({ store }) {
      const absent = "0".repeat(64);
      assert.equal(await store.retrieve(absent), undefined);
      assert.equal(await store.retrieve(absent, { range: { start: 1 } }), undefined);
      assert.equal(await store.retrieveStream(absent), undefined);
      assert.equal(await store.exists(absent), false);
      assert.deepEqual(await store.getHandles(absent), []);
      assert.equal(await store.delete(absent), false);
    },
  },
  {
    name: "an imported handle keeps its id, time and summary, and is added once",
    async check({ store, clock }) {
      const original = await store.store("imported", { source });
      await store.delete(original.artifactId);
      clock.advance(1000);
      const { handleId, createdAt } = original;
      const options = {
        source,
        imported: { handleId, createdAt, summary: "token=not+really+secret+1234567890" },
      };
      const first = await store.store("imported", options);
      const second = await store.store("imported", options);
      assert.deepEqual(first, { ...original, summary: options.imported.summary });
      assert.deepEqual(second, first);
      assert.deepEqual(await store.getHandles(first.artifactId), [first]);
    },
  },
  {
    name: "handle ids that differ in case alone are two handles",
    async check({ store }) {
      const ids = ["CASE", "Case", "case"];
      const handles = [];
      for (const handleId of ids) {
        const imported = { handleId, createdAt: 1, summary: handleId };
        handles.push(await store.store("imported", { source, imported }));
      }
      assert.deepEqual(await store.getHandles(handles[0]?.artifactId ?? ""), handles);
      assert.deepEqual((await store.listHandles()).handles, handles);
    },
  },
];

/** Yields one buffer again and again with new contents. */
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
