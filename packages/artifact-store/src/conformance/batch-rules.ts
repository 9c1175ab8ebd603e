import { ArtifactStoreError } from "../artifact-store-error.ts";
import { rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import type { StoreItem } from "../artifact-store.ts";
import { failureOf, inPieces, mebibyte, someBytes, untyped, type Rule } from "./bench.ts";

const source = "tool:test";

/** Storing many at once. */
export const batchRules: Rule[] = [
  {
    name: "a batch is kept whole, handles in the order of its items",
    async check(bench) {
      const contents = [
        someBytes(10, 40),
        someBytes(mebibyte + 1, 41),
        someBytes(0, 42),
        someBytes(2_000, 43),
      ];
      const items = contents.map((content, index): StoreItem => {
        return {
          content: index % 2 ? inPieces(content, 999, 70_000) : content,
          source: `tool:${index}`,
          sessionId: "s",
        };
      });
      const handles = await bench.store.storeMany(items);
      assert.deepEqual(
        handles.map((handle) => handle.source),
        ["tool:0", "tool:1", "tool:2", "tool:3"],
      );
      for (const [index, content] of contents.entries())
        await bench.holds(handles[index]?.artifactId ?? "", content);
      assert.deepEqual((await bench.store.listHandles()).handles, handles);
    },
  },
  {
    name: "the same bytes twice in a batch are one artifact and two handles",
    async check({ store }) {
      const items = [
        { content: "twice", source: "tool:a" },
        { content: "other", source: "tool:b" },
        { content: inPieces(new TextEncoder().encode("twice"), 2), source: "tool:c" },
      ];
      const [first, , third] = await store.storeMany(items);
      assert.ok(first && third);
      assert.deepEqual(await store.getHandles(first.artifactId), [first, third]);
    },
  },
  {
    name: "an empty batch stores nothing",
    async check(bench) {
      assert.deepEqual(await bench.store.storeMany([]), []);
      await bench.isEmpty();
    },
  },
  {
    name: "one bad item keeps the whole batch out",
    async check(bench) {
      const failing = async function* (): AsyncGenerator<Uint8Array, void> {
        yield someBytes(mebibyte + 1, 44);
        throw new Error("no more");
      };
      const bad: StoreItem[] = [
        { content: "x", source: "" },
        { content: untyped<string>(7), source },
        { content: "x", source, expectedId: "0".repeat(64) },
        { content: failing(), source },
      ];
      const large = someBytes(mebibyte + 2, 45);
      for (const item of bad) {
        const items = [
          { content: "good", source },
          { content: large, source },
          item,
          { content: "late", source },
        ];
        await failureOf(() => bench.store.storeMany(items));
      }
      await bench.isEmpty("good", large, "late", "x");
    },
  },
  {
    name: "a batch that is no array is refused",
    async check({ store }) {
      await rejectsWith(ArtifactStoreError, "invalid_input", () =>
        store.storeMany(untyped<StoreItem[]>({ content: "a", source })),
      );
    },
  },
];
