import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createSearchIndex } from "./create-search-index.ts";
import { SearchError } from "./search-error.ts";
import type { SearchDocument } from "./search-index.ts";
import { countTerms } from "./text/count-terms.ts";
import { createAnalyzer } from "./words/analyzer.ts";

const wordArbitrary = fc.constantFrom(
  "order",
  "orders",
  "cust",
  "customer",
  "qty",
  "выручка",
  "id",
  "quantity",
  "quantities",
  "quantum",
);
const textArbitrary = fc.array(wordArbitrary, { maxLength: 6 }).map((words) => words.join(" "));
const documentsArbitrary = fc.uniqueArray(
  fc.record({ id: fc.string(), title: textArbitrary, body: textArbitrary }),
  { selector: ({ id }) => id, maxLength: 10 },
);
const fields = { title: 3, body: 1 };

describe("createSearchIndex", () => {
  it("ranks a document higher if it has the word in the heavier field", async () => {
    const index = createSearchIndex({ fields });
    await index.put([
      { id: "a", texts: { title: "shipping", body: "payments" } },
      { id: "b", texts: { title: "payments", body: "shipping" } },
    ]);
    const { hits } = index.searchText({ text: "payment", limit: 5 });
    expect(hits.map(({ id }) => id)).toEqual(["b", "a"]);
  });

  it("can rank a match of all words above one of two words that are an identifier", async () => {
    const analyzer = createAnalyzer({ joinedWeight: 0.25 });
    const index = createSearchIndex({ fields, analyzer });
    const others = Array.from({ length: 20 }, (_, at) => ({
      id: `other ${at}`,
      texts: { title: at < 5 ? "account holders" : "users" },
    }));
    await index.put([
      { id: "part", texts: { title: "closeAccount" } },
      { id: "whole", texts: { title: "closeAccountHolder" } },
      ...others,
    ]);
    const { hits } = index.searchText({ text: "Close an account holder", limit: 5 });
    expect(hits[0]?.id).toBe("whole");
  });

  it("explains every score by parts that add up to it, only words if there are no containers", async () => {
    await fc.assert(
      fc.asyncProperty(documentsArbitrary, textArbitrary, async (documents, text) => {
        const index = createSearchIndex({ fields });
        await index.put(documents.map(({ id, ...texts }) => ({ id, texts })));
        for (const { score, parts = {} } of index.searchText({ text, limit: 10 }).hits) {
          const sum = Object.values(parts).reduce((total, part) => total + part, 0);
          expect(sum).toBeCloseTo(score, 10);
          expect(parts).not.toHaveProperty("/container");
        }
      }),
    );
  });

  it("ranks counted terms like the text that they were counted in", async () => {
    const analyzer = createAnalyzer();
    await fc.assert(
      fc.asyncProperty(documentsArbitrary, textArbitrary, async (documents, text) => {
        const written = createSearchIndex({ fields });
        const counted = createSearchIndex({ fields });
        await written.put(documents.map(({ id, ...texts }) => ({ id, texts })));
        await counted.put(
          documents.map(({ id, title, body }) => ({
            id,
            texts: { title, body: countTerms(body, analyzer) },
          })),
        );
        const query = { text, limit: 10 };
        expect(counted.searchText(query)).toEqual(written.searchText(query));
        expect(counted.save()).toEqual(written.save());
      }),
    );
  });

  it("scores visible documents as if the hidden ones did not exist", async () => {
    await fc.assert(
      fc.asyncProperty(
        documentsArbitrary,
        documentsArbitrary,
        textArbitrary,
        async (seen, hidden, text) => {
          const alone = createSearchIndex({ fields, container: 0.5 });
          const together = createSearchIndex({ fields, container: 0.5 });
          const documentsOf = (prefix: string, from: typeof seen): SearchDocument[] =>
            from.map(({ id, ...texts }) => ({ id: prefix + id, texts, container: "one" }));
          await alone.put(documentsOf("s", seen));
          await together.put([...documentsOf("h", hidden), ...documentsOf("s", seen)]);
          const allow = new Set(seen.map(({ id }) => `s${id}`));
          expect(together.searchText({ text, filter: { allow }, limit: 10 })).toEqual(
            alone.searchText({ text, limit: 10 }),
          );
        },
      ),
    );
  });

  it("compares the length of a field only with documents that have the field", async () => {
    const index = createSearchIndex({ fields, k1: 2 });
    const body = "payments by card and by invoice in euros";
    await index.put([{ id: "long", texts: { body } }]);
    const [alone] = index.searchText({ text: "payment", limit: 1 }).hits;
    await index.put(
      Array.from({ length: 20 }, (_, at) => ({ id: `short${at}`, texts: { title: "payments" } })),
    );
    const filter = { exclude: Array.from({ length: 19 }, (_, at) => `short${at}`) };
    const { hits } = index.searchText({ text: "payment", filter, limit: 2 });
    const rarity = (all: number): number => Math.log(1 + 0.5 / (all + 0.5));
    const found = hits.find(({ id }) => id === "long");
    expect((found?.score ?? 0) / rarity(2)).toBeCloseTo((alone?.score ?? 1) / rarity(1), 10);
  });

  it("ranks a document without neighbours the same as one whose neighbours do not match", async () => {
    const index = createSearchIndex({ fields, container: 0.5 });
    await index.put([
      { id: "alone", texts: { title: "payments" } },
      { id: "among", texts: { title: "payments" }, container: "shop" },
      ...Array.from({ length: 40 }, (_, at) => ({
        id: `n${at}`,
        texts: { title: "parcels" },
        container: "shop",
      })),
    ]);
    const { hits } = index.searchText({ text: "payment", limit: 2 });
    expect(hits.map(({ score }) => score)).toEqual([hits[0]?.score, hits[0]?.score]);
  });

  it("rejects bytes saved from an index of other fields", async () => {
    const bytes = createSearchIndex({ fields }).save();
    const other = createSearchIndex({ fields: { body: 1, title: 3 } });
    expect(() => other.restore(bytes)).toThrow(SearchError);
  });

  it("drops the user's stop words from queries", () => {
    const analyzer = createAnalyzer({ stopWords: ["fix"] });
    expect(analyzer.queryWords("fix the router").map(({ word }) => word)).toEqual(["router"]);
    expect(analyzer.queryWords("fix").map(({ word }) => word)).toEqual(["fix"]);
  });
});

it("adds nothing once it is aborted", async () => {
  const index = createSearchIndex({ fields });
  const signal = AbortSignal.abort();
  const put = index.put([{ id: "a", texts: { title: "payments" } }], { signal });
  await expect(put).rejects.toMatchObject({ code: "aborted" });
  expect(index.searchText({ text: "payments", limit: 1 }).hits).toEqual([]);
});
