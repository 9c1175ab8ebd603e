import type { SearchIndex } from "../search-index.ts";
import type { KitRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import type { SearchFilter } from "@ccl/search";

import {
  answersOf,
  idsByText,
  idsByVector,
  sampleDocument,
  shopDocuments,
} from "./search-samples.ts";

const filters: readonly [SearchFilter, isVisible: (id: string) => boolean][] = [
  [{ facets: { tag: "shop" } }, (id) => id.includes("shop")],
  [{ facets: { kind: ["api", "kv"] } }, (id) => id.startsWith("api")],
  [{ facets: { tag: ["shop", "finance"], pii: "high" } }, (id) => id.endsWith("customers")],
  [{ facets: { owner: [] } }, () => false],
  [{ facets: { __proto__x: "shop", constructor: "x" } }, () => false],
  [{ exclude: ["res:db.shop.orders", "unknown"] }, (id) => !id.endsWith("orders")],
  [{ allow: new Set(["res:db.shop.orders", "unknown"]) }, (id) => id.endsWith("orders")],
  [{ allow: new Set() }, () => false],
  [
    {
      allow: new Set(["res:db.shop.orders", "api:weather/forecast"]),
      exclude: ["res:db.shop.orders"],
    },
    (id) => id.startsWith("api"),
  ],
];

/** Rules of filters and facets. */
export const searchFilterRules: readonly KitRule<SearchIndex>[] = [
  {
    name: "a filter hides documents from hits and counts",
    async check(index, { open }) {
      await index.put(shopDocuments);
      for (const [filter, isVisible] of filters) {
        const visible = shopDocuments.filter(({ record }) => isVisible(record.id));
        const alone = await open();
        await alone.put(visible);
        for (const text of ["orders of customers", "city weather revenue", "custmoers"]) {
          const found = await index.searchText({ text, limit: 100, filter });
          const expected = await alone.searchText({ text, limit: 100 });
          const ids = found.hits.map(({ id }) => id).sort();
          assert.deepEqual(
            ids,
            expected.hits.map(({ id }) => id).sort(),
            `${text} under ${JSON.stringify(filter)}`,
          );
          assert.deepEqual(found.unmatchedTerms, expected.unmatchedTerms);
          assert.ok(
            Math.abs(found.coverage - expected.coverage) < 1e-9,
            "the share of words that hidden ones have",
          );
        }
        assert.deepEqual(
          await idsByVector(index, [1, -2, 3], filter),
          await idsByVector(alone, [1, -2, 3]),
        );
        assert.deepEqual(
          await index.countFacets({ limit: 100, filter }),
          await alone.countFacets({ limit: 100 }),
        );
      }
    },
  },
  {
    name: "a filter applies before the limit",
    async check(index) {
      const documents = Array.from({ length: 300 }, (_, at) =>
        sampleDocument(`res:${String(at).padStart(3, "0")}`, {
          title: at < 295 ? "order order order" : "order",
          tags: at < 295 ? [] : ["rare"],
          vector: at < 295 ? [1, 0.001 * at] : [-1, 0.001 * at],
        }),
      );
      await index.put(documents);
      const rare = documents.slice(295).map(({ record }) => record.id);
      const byFacet = { facets: { tag: "rare" } };
      const byId = { allow: new Set(rare) };
      for (const filter of [byFacet, byId]) {
        assert.deepEqual(await idsByText(index, "order", { ...filter, limit: 5 }), rare);
        assert.deepEqual((await idsByVector(index, [1, 0], { ...filter, limit: 5 })).sort(), rare);
      }
    },
  },
  {
    name: "a filter may allow ten thousand ids",
    async check(index) {
      const documents = Array.from({ length: 60 }, (_, at) =>
        sampleDocument(`res:${at}`, { title: "orders", tags: [`part:${at % 2}`], vector: [1, at] }),
      );
      await index.put(documents);
      const even = documents.filter((_, at) => at % 2 === 0).map(({ record }) => record.id);
      const allow = new Set([
        ...Array.from({ length: 10_000 }, (_, at) => `res:absent-${at}`),
        ...even,
      ]);
      assert.deepEqual((await idsByText(index, "orders", { allow })).sort(), even.toSorted());
      assert.deepEqual((await idsByVector(index, [1, 0], { allow })).sort(), even.toSorted());
      const { part } = await index.countFacets({ filter: { allow }, limit: 5 });
      assert.deepEqual(part, [{ value: "0", count: 30 }]);
    },
  },
  {
    name: "facets are counted by name, in descending order, ties by value, up to the limit",
    async check(index) {
      await index.put([
        sampleDocument("a", { tags: ["pii:none", "shop"], owner: "team", cap: ["scan"] }),
        sampleDocument("b", { tags: ["pii:none", "kind:fake"], kind: "api" }),
        sampleDocument("c", { tags: ["pii:high", "pii:Any"] }),
      ]);
      assert.deepEqual(
        await index.countFacets({ facets: ["pii", "kind", "cap", "none"], limit: 2 }),
        {
          cap: [{ value: "scan", count: 1 }],
          kind: [
            { value: "tabular", count: 2 },
            { value: "api", count: 1 },
          ],
          none: [],
          pii: [
            { value: "none", count: 2 },
            { value: "Any", count: 1 },
          ],
        },
      );
      assert.deepEqual(await index.countFacets({ facets: ["pii"], ids: ["c", "gone"], limit: 5 }), {
        pii: [
          { value: "Any", count: 1 },
          { value: "high", count: 1 },
        ],
      });
      const { kind } = await index.countFacets({ filter: { exclude: ["b"] }, limit: 5 });
      assert.deepEqual(kind, [{ value: "tabular", count: 2 }]);
    },
  },
  {
    name: "a filtered query answers the same before and after other queries",
    async check(index) {
      await index.put(shopDocuments);
      const filter = { facets: { tag: "shop" } };
      const before = await answersOf(index, filter);
      await answersOf(index);
      await answersOf(index, { exclude: ["res:db.shop.orders"] });
      assert.deepEqual(await answersOf(index, filter), before);
    },
  },
];
