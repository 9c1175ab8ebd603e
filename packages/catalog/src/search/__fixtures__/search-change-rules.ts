import type { SearchIndex } from "../search-index.ts";
import type { KitRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import {
  answersOf,
  expectRefusal,
  idsByText,
  idsByVector,
  sampleDocument,
  shopDocuments,
} from "./search-samples.ts";

/** Rules of adding, replacing and removing. */
export const searchChangeRules: readonly KitRule<SearchIndex>[] = [
  {
    name: "a document is found by its words until it is replaced or removed",
    async check(index) {
      await index.put([
        sampleDocument("a", { title: "orders" }),
        sampleDocument("b", { title: "orders" }),
      ]);
      assert.deepEqual(await idsByText(index, "orders"), ["a", "b"]);
      await index.put([sampleDocument("a", { title: "revenue" })]);
      assert.deepEqual(await idsByText(index, "orders"), ["b"]);
      assert.deepEqual(await idsByText(index, "revenue"), ["a"]);
      await index.remove(["b", "unknown"]);
      assert.deepEqual(await idsByText(index, "orders"), []);
      await index.put([sampleDocument("b", { title: "orders" })]);
      assert.deepEqual(await idsByText(index, "orders"), ["b"]);
    },
  },
  {
    name: "if a batch has two documents with the same id, the last one counts",
    async check(index) {
      await index.put([
        sampleDocument("a", { title: "orders" }),
        sampleDocument("a", { title: "revenue" }),
      ]);
      assert.deepEqual(await idsByText(index, "orders"), []);
      assert.deepEqual(await idsByText(index, "revenue"), ["a"]);
    },
  },
  {
    name: "after any changes it answers like an index built in one step",
    async check(index, { open }) {
      const [first, ...rest] = shopDocuments;
      assert.ok(first !== undefined);
      await index.put(rest.toReversed());
      await index.put([
        sampleDocument("gone", { title: "orders orders city", tags: ["shop"], vector: [1, 1, 1] }),
      ]);
      await index.put([
        sampleDocument(first.record.id, { title: "customers", kind: "kv", vector: [9, 9, 9] }),
      ]);
      await index.remove(["gone"]);
      await index.put([first]);
      await index.put(rest);
      const rebuilt = await open();
      await rebuilt.put(shopDocuments);
      assert.deepEqual(await answersOf(index), await answersOf(rebuilt));
    },
  },
  {
    name: "replacing a document replaces its vector, and removes it if none is given",
    async check(index) {
      await index.put([
        sampleDocument("a", { vector: [1, 0] }),
        sampleDocument("b", { vector: [0, 1] }),
      ]);
      await index.put([sampleDocument("a", { vector: [-1, 0.1] }), sampleDocument("b")]);
      assert.deepEqual(await idsByVector(index, [1, 0]), ["a"]);
      await index.remove(["a"]);
      assert.deepEqual(await idsByVector(index, [1, 0]), []);
    },
  },
  {
    name: "a vector that does not fit is rejected with its whole batch",
    async check(index) {
      await index.put([sampleDocument("a", { title: "kept", vector: [1, 0] })]);
      for (const vector of [[1], [1, 2, 3], [], [1, Number.NaN]]) {
        const batch = [sampleDocument("b", { title: "kept" }), sampleDocument("c", { vector })];
        await expectRefusal("invalid_options", () => index.put(batch));
      }
      await expectRefusal("invalid_options", () => idsByVector(index, [1, 2, 3]));
      assert.deepEqual(await idsByText(index, "kept"), ["a"]);
    },
  },
  {
    name: "changes are applied in the order of the calls",
    async check(index) {
      const many = Array.from({ length: 1_200 }, (_, at) =>
        sampleDocument(`res:${at}`, { title: "old" }),
      );
      const changes = [
        index.put(many),
        index.put([sampleDocument("res:7", { title: "fresh" })]),
        index.remove(["res:8"]),
      ];
      await Promise.all(changes);
      assert.deepEqual(await idsByText(index, "fresh"), ["res:7"]);
      assert.equal((await idsByText(index, "old", { limit: 2_000 })).length, 1_198);
    },
  },
];
