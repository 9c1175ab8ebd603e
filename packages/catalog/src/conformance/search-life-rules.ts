import type { SearchIndex } from "../search/search-index.ts";
import type { KitRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import {
  answersOf,
  expectRefusal,
  idsByText,
  sampleDocument,
  shopDocuments,
} from "./search-samples.ts";

/** Rules of cancelling, and of what outlives an index. */
export const searchLifeRules: readonly KitRule<SearchIndex>[] = [
  {
    name: "a call whose signal is aborted changes nothing",
    async check(index) {
      await index.put([sampleDocument("a", { title: "orders" })]);
      const call = { signal: AbortSignal.abort() };
      await expectRefusal("aborted", () =>
        index.put([sampleDocument("b", { title: "orders" })], call),
      );
      await expectRefusal("aborted", () => index.remove(["a"], call));
      await expectRefusal("aborted", () => index.searchText({ text: "orders", limit: 5 }, call));
      await expectRefusal("aborted", () =>
        index.searchVector({ vector: Float32Array.from([1]), limit: 5 }, call),
      );
      await expectRefusal("aborted", () => index.countFacets({ limit: 5 }, call));
      assert.deepEqual(await idsByText(index, "orders"), ["a"]);
    },
  },
  {
    name: "a change that is aborted on its way changes nothing",
    async check(index) {
      const controller = new AbortController();
      const documents = Array.from({ length: 3_000 }, (_, at) =>
        sampleDocument(`res:${at}`, { title: "orders" }),
      );
      const done = index.put(documents, { signal: controller.signal });
      setTimeout(() => controller.abort(), 0);
      await expectRefusal("aborted", () => done);
      assert.deepEqual(await idsByText(index, "orders"), []);
      await index.put(documents.slice(0, 1));
      assert.deepEqual(await idsByText(index, "orders"), ["res:0"]);
    },
  },
  {
    name: "everything outlives the index",
    needs: "reopen",
    async check(index, { reopen }) {
      await index.put([...shopDocuments, sampleDocument("gone", { title: "orders" })]);
      await index.remove(["gone"]);
      const before = await answersOf(index);
      const again = await reopen(index);
      assert.deepEqual(await answersOf(again), before);
      await again.put([sampleDocument("late", { title: "orders" })]);
      assert.ok((await idsByText(again, "orders")).includes("late"));
    },
  },
  {
    name: "a second handle sees each change of the first, and the other way round",
    needs: "openSecond",
    async check(index, { openSecond }) {
      await index.put(shopDocuments);
      const second = await openSecond(index);
      assert.deepEqual(await answersOf(second), await answersOf(index));
      await second.put([
        sampleDocument("res:db.shop.orders", {
          title: "customers",
          tags: ["shop"],
          vector: [1, 1, 1],
        }),
      ]);
      await index.remove(["res:db.finance.revenue"]);
      await second.put([sampleDocument("new", { title: "daily orders" })]);
      assert.deepEqual(await answersOf(second), await answersOf(index));
      assert.deepEqual(await idsByText(index, "daily"), ["new"]);
    },
  },
  {
    name: "changes through two handles at the same time lose nothing",
    needs: "openSecond",
    async check(index, { openSecond, open }) {
      const second = await openSecond(index);
      const documents = Array.from({ length: 40 }, (_, at) =>
        sampleDocument(`res:${at}`, {
          title: `orders ${at % 7}`,
          tags: [`part:${at % 3}`],
          vector: [1, at, 2],
        }),
      );
      await Promise.all(
        documents.map((document, at) => (at % 2 === 0 ? index : second).put([document])),
      );
      await Promise.all([index.remove(["res:1", "res:2"]), second.remove(["res:2", "res:3"])]);
      const rebuilt = await open();
      await rebuilt.put(
        documents.filter(({ record }) => !["res:1", "res:2", "res:3"].includes(record.id)),
      );
      const expected = await answersOf(rebuilt);
      assert.deepEqual(await answersOf(index), expected);
      assert.deepEqual(await answersOf(second), expected);
    },
  },
];
