import type { SearchIndex } from "../search-index.ts";
import type { KitRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import {
  expectRefusal,
  idsByText,
  idsByVector,
  sampleDocument,
  shopDocuments,
} from "./search-samples.ts";

/** Texts that have a special meaning in some query language. */
const hostile: readonly string[] = [
  `'); DROP TABLE ccl_search_documents; --`,
  `" OR 1=1 NEAR(a b, 2) NOT * ^title: {a b} - "unclosed`,
  "a & !b | (c <-> d):* '\\",
  "$1 ? %s :name @name ${x}",
  "NUL \u0000 and lone halves \ud800 \udc00 half\ud800",
  "constructor __proto__ toString",
  `token ${"x".repeat(50_000)}`,
  "漢字".repeat(500),
];

/** A distinct word for each document. */
const marks = ["walnut", "pebble", "lantern", "glacier", "orchid", "trumpet", "saddle", "velvet"];

/** Rules of ranking. */
export const searchRankRules: readonly KitRule<SearchIndex>[] = [
  {
    name: "the better match comes first, ties by id in code units, up to the limit",
    async check(index) {
      const ids = ["res:b", "res:a", "res:Z", "res:ж", "res:é"];
      await index.put(
        ids.map((id) => sampleDocument(id, { title: "same", container: "c", vector: [1, 1] })),
      );
      assert.deepEqual(await idsByText(index, "same", { limit: 3 }), ["res:Z", "res:a", "res:b"]);
      assert.deepEqual(await idsByVector(index, [1, 1], { limit: 3 }), ["res:Z", "res:a", "res:b"]);
      await index.put([sampleDocument("res:zz", { title: "same same word", container: "other" })]);
      assert.equal((await idsByText(index, "same word"))[0], "res:zz");
      assert.deepEqual(await idsByText(index, "same", { limit: 0 }), []);
    },
  },
  {
    name: "a rare word counts more than a common one",
    async check(index) {
      const common = Array.from({ length: 20 }, (_, at) =>
        sampleDocument(`res:${at}`, { title: "orders", container: `c${at}` }),
      );
      await index.put([
        ...common,
        sampleDocument("res:rare", { title: "refunds", container: "c" }),
      ]);
      const { hits } = await index.searchText({ text: "orders refunds", limit: 30 });
      assert.equal(hits[0]?.id, "res:rare");
      assert.equal(hits.length, 21);
      for (const [at, { score }] of hits.entries())
        assert.ok(score > 0 && score <= (hits[at - 1]?.score ?? score));
    },
  },
  {
    name: "words that no visible document has are returned as written, and lower the coverage",
    async check(index) {
      await index.put([
        sampleDocument("a", { title: "orders" }),
        sampleDocument("b", { title: "salaries" }),
      ]);
      const filter = { allow: new Set(["a"]) };
      const { unmatchedTerms, coverage } = await index.searchText({
        text: "Salaries of Unicorns in orders",
        limit: 5,
        filter,
      });
      assert.deepEqual(unmatchedTerms, ["Salaries", "Unicorns"]);
      assert.ok(coverage > 0 && coverage < 0.5, `coverage is ${coverage}`);
      assert.equal((await index.searchText({ text: "salaries orders", limit: 5 })).coverage, 1);
      const nothing = await index.searchText({ text: "zebra", limit: 5 });
      assert.deepEqual(nothing, { hits: [], unmatchedTerms: ["zebra"], coverage: 0 });
    },
  },
  {
    name: "a vector finds by direction, with the cosine as its score",
    async check(index) {
      await index.put(shopDocuments);
      await index.put([sampleDocument("zero", { vector: [0, 0, 0] })]);
      const query = [2, -4, 5];
      const hits = await index.searchVector({ vector: Float32Array.from(query), limit: 10 });
      const expected = shopDocuments
        .flatMap(({ record, vector }) =>
          vector === undefined ? [] : [{ id: record.id, score: cosine(query, vector) }],
        )
        .sort((left, right) => right.score - left.score);
      assert.deepEqual(
        hits.map(({ id }) => id),
        expected.map(({ id }) => id),
      );
      for (const [at, { score }] of hits.entries())
        assert.ok(Math.abs(score - (expected[at]?.score ?? 9)) < 1e-5);
      assert.deepEqual(await idsByVector(index, [0, 0, 0]), []);
    },
  },
  {
    name: "texts, ids and tags are never read as a query language",
    async check(index) {
      const documents = hostile.map((text, at) =>
        sampleDocument(`${text.slice(0, 40)} ${at}`, {
          title: text,
          tags: [text.slice(0, 60), `x:${text.slice(0, 60)}`],
          description: marks[at] ?? "",
        }),
      );
      await index.put(documents);
      for (const [at, { record }] of documents.entries()) {
        assert.deepEqual(await idsByText(index, marks[at] ?? ""), [record.id]);
        const filter = { facets: { tag: record.title.slice(0, 60) } };
        assert.deepEqual(await idsByText(index, marks[at] ?? "", filter), [record.id]);
        await index.searchText({ text: record.title, limit: 5, filter });
        const { x } = await index.countFacets({ ids: [record.id], limit: 5 });
        assert.deepEqual(x, [{ value: record.title.slice(0, 60), count: 1 }]);
      }
      await index.remove(documents.map(({ record }) => record.id));
      assert.deepEqual(await idsByText(index, marks.join(" ")), []);
    },
  },
  {
    name: "limits that are not whole numbers from 0 are rejected",
    async check(index) {
      await index.put([sampleDocument("a", { vector: [1] })]);
      for (const limit of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await expectRefusal("invalid_options", () => index.searchText({ text: "a", limit }));
        await expectRefusal("invalid_options", () =>
          index.searchVector({ vector: Float32Array.from([1]), limit }),
        );
        await expectRefusal("invalid_options", () => index.countFacets({ limit }));
      }
    },
  },
];

function cosine(left: readonly number[], right: Float32Array): number {
  const dot = left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
  return dot / Math.hypot(...left) / Math.hypot(...right);
}
