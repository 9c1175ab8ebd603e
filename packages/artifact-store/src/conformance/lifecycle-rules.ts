import assert from "node:assert/strict";
import type { ArtifactContent } from "../artifact-store.ts";
import {
  drain,
  inPieces,
  listAll,
  mebibyte,
  expectError,
  type Rule,
  rulesOf,
  someBytes,
} from "./bench.ts";

const source = "tool:test";
const hex = "0".repeat(64);
/** Rules for failing streams, aborts, concurrency, closing and reopening. */
export const lifecycleRules: Rule[] = [
  ...rulesOf({
    async "a content stream that fails leaves nothing"(bench) {
      for (const length of [10, 2 * mebibyte]) {
        const failing = async function* (): AsyncGenerator<Uint8Array, void> {
          yield someBytes(length, 90);
          throw new Error("the network is gone");
        };
        await expectError("invalid_input", () => bench.store.store(failing(), { source }));
        await bench.expectEmpty(someBytes(length, 90));
      }
    },
    async "an abort amid a content stream ends the call, tells the stream to stop and leaves nothing"(
      bench,
    ) {
      for (const length of [10, 2 * mebibyte + 1]) {
        const controller = new AbortController();
        const first = someBytes(length, 91);
        let isStopped = false;
        const endless: AsyncIterable<Uint8Array> = {
          [Symbol.asyncIterator]: () => ({
            next: async () => {
              if (first.length > 0 && !controller.signal.aborted)
                queueMicrotask(() => controller.abort());
              return controller.signal.aborted
                ? new Promise(() => undefined)
                : { done: false, value: first };
            },
            return: async () => {
              isStopped = true;
              return { done: true, value: undefined };
            },
          }),
        };
        await expectError("aborted", () =>
          bench.store.store(endless, { source, signal: controller.signal }),
        );
        assert.ok(isStopped, "the stream was not told to stop");
        await bench.expectEmpty(first);
      }
    },
    async "an abort amid a read ends the stream"({ store }) {
      const { artifactId } = await store.store(someBytes(3 * mebibyte, 92), { source });
      const controller = new AbortController();
      const stream = await store.retrieveStream(artifactId, { signal: controller.signal });
      await expectError("aborted", async () => {
        for await (const piece of stream ?? []) controller.abort(piece.length);
      });
      assert.equal((await drain(await store.retrieveStream(artifactId))).length, 3 * mebibyte);
    },
    async "concurrent puts of the same bytes are one artifact, and every handle is kept"(bench) {
      const content = someBytes(mebibyte + 9, 93);
      const contents: ArtifactContent[] = [
        content,
        inPieces(content, 50_000),
        content,
        inPieces(content, 999_999),
      ];
      const handles = await Promise.all(
        contents.map((each) => bench.store.store(each, { source })),
      );
      const artifactId = await bench.idOf(content);
      const kept = (await bench.store.getHandles(artifactId)).map(({ handleId }) => handleId);
      assert.deepEqual(kept, handles.map(({ handleId }) => handleId).sort());
      await bench.expectContent(artifactId, content);
      assert.equal((await bench.store.verify()).checked, 1);
    },
    async "concurrent puts, reads, deletes and listings do not disturb each other"(bench) {
      const stays = await bench.put(mebibyte + 1, 94);
      const turns = Array.from({ length: 12 }, async (_, seed) => {
        const { artifactId } = await bench.store.store(someBytes(2_000, seed), { source });
        await bench.expectContent(stays.artifactId, someBytes(mebibyte + 1, 94));
        if (seed % 2) assert.equal(await bench.store.delete(artifactId), true);
        await bench.store.listHandles();
      });
      await Promise.all(turns);
      assert.equal((await listAll(bench.store)).length, 7);
    },
    async "closing waits for calls under way"({ store }) {
      const put = store.store(inPieces(someBytes(mebibyte + 1, 95), 10_000), { source });
      const closed = store.close();
      assert.equal((await put).sizeBytes, mebibyte + 1);
      await closed;
    },
    async "closing ends streams that are being read"({ store }) {
      const { artifactId } = await store.store(someBytes(3 * mebibyte, 96), { source });
      const stream = await store.retrieveStream(artifactId);
      const iterator = stream?.[Symbol.asyncIterator]();
      assert.equal((await iterator?.next())?.done, false);
      await store.close();
      await expectError("closed", async () => iterator?.next());
    },
  }),
  {
    name: "a store that is opened again has everything that was stored, and nothing that was deleted",
    needs: "reopen",
    async check(bench) {
      const contents = [0, 700, mebibyte + 3].map((length) => someBytes(length, 97));
      const handles = [];
      for (const content of contents)
        handles.push(await bench.store.store(content, { source, sessionId: "s" }));
      const deleted = await bench.put(55, 98);
      await bench.store.delete(deleted.artifactId);
      const { cursor } = await bench.store.listHandles({ limit: 1 });
      const again = await bench.reopen();
      try {
        assert.deepEqual(await listAll(again.store), handles);
        for (const [index, content] of contents.entries())
          await again.expectContent(handles[index]?.artifactId ?? "", content);
        assert.equal(await again.store.retrieve(deleted.artifactId), undefined);
        const rest = await again.store.listHandles(cursor === undefined ? {} : { cursor });
        assert.deepEqual(rest.handles, handles.slice(1));
        assert.deepEqual((await again.store.collectGarbage({ graceMs: 0 })).artifactIds, [
          deleted.artifactId,
        ]);
        await assert.rejects(bench.store.exists(hex));
      } finally {
        await again.store.close();
      }
    },
  },
];
