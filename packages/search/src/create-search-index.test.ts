import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createSearchIndex } from "./create-search-index.ts";
import { SearchError } from "./search-error.ts";
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
);
const textArbitrary = fc.array(wordArbitrary, { maxLength: 6 }).map((words) => words.join(" "));
const documentsArbitrary = fc.uniqueArray(
  fc.record({ id: fc.string(), title: textArbitrary, body: textArbitrary }),
  { selector: ({ id }) => id, maxLength: 10 },
);
const fields = { title: 3, body: 1 };

describe("createSearchIndex", () => {
  it("ranks the document higher that has the word in the heavier field", async () => {
    const index = createSearchIndex({ fields });
    await index.put([
      { id: "a", texts: { title: "shipping", body: "payments" } },
      { id: "b", texts: { title: "payments", body: "shipping" } },
    ]);
    const { hits } = index.searchText({ text: "payment", limit: 5 });
    expect(hits.map(({ id }) => id)).toEqual(["b", "a"]);
  });

  it("explains every score by parts that sum up to it, without containers by words alone", async () => {
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

  it("ranks counted terms as the text that they were counted in", async () => {
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

  it("refuses what an index of other fields saved", async () => {
    const bytes = createSearchIndex({ fields }).save();
    const other = createSearchIndex({ fields: { body: 1, title: 3 } });
    expect(() => other.restore(bytes)).toThrow(SearchError);
  });

  it("leaves stop words of its user out of queries", () => {
    const analyzer = createAnalyzer({ stopWords: ["fix"] });
    expect(analyzer.queryWords("fix the router").map(({ word }) => word)).toEqual(["router"]);
    expect(analyzer.queryWords("fix").map(({ word }) => word)).toEqual(["fix"]);
  });
});
