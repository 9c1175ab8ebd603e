import type { ConformanceHooks } from "@ccl/core/conformance";
import { describe, expect, it } from "vitest";

import { createMemorySearchIndex } from "../search/create-memory-search-index.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { searchIndexConformance } from "./index.ts";

async function failures(options: ConformanceHooks<SearchIndex>): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of searchIndexConformance(options)) {
    await run().catch(() => failed.push(name));
  }
  return failed;
}

const open = async (): Promise<SearchIndex> => createMemorySearchIndex();
const same = async (index: SearchIndex): Promise<SearchIndex> => index;

type Fault = (index: SearchIndex) => Partial<SearchIndex>;
const broken: [fault: string, rule: string, Fault][] = [
  [
    "keeps what is removed",
    "a document is found by its words until it is replaced or removed",
    () => ({ remove: async () => undefined }),
  ],
  [
    "takes the first of two documents with one id",
    "of two documents of a batch with one id the last counts",
    (index) => ({
      put: (documents, options) => {
        const [first] = documents;
        const isTwice = documents.length === 2 && first?.record.id === documents[1]?.record.id;
        return index.put(isTwice && first !== undefined ? [first] : documents, options);
      },
    }),
  ],
  [
    "keeps a vector that is gone",
    "a replaced document takes its vector along, and has none where none is given",
    (index) => ({
      put: (documents, options) =>
        index.put(
          documents.map((document) => ({ vector: Float32Array.from([0, 1]), ...document })),
          options,
        ),
    }),
  ],
  [
    "puts one by one",
    "a vector that does not fit is refused with its whole batch",
    (index) => ({
      put: async (documents, options) => {
        for (const document of documents) await index.put([document], options);
      },
    }),
  ],
  [
    "lets the shorter change overtake",
    "changes are made in the order in which they were asked for",
    (index) => ({
      put: async (documents, options) => {
        if (documents.length > 1_000) await new Promise((resolve) => setTimeout(resolve, 5));
        return index.put(documents, options);
      },
    }),
  ],
  [
    "filters what it has ranked and cut",
    "a filter applies before the limit",
    (index) => ({
      async searchText({ filter, ...query }, options) {
        const allowed = await index.searchText({
          ...query,
          limit: 10_000,
          filter,
        });
        const ids = new Set(allowed.hits.map(({ id }) => id));
        const found = await index.searchText(query, options);
        return { ...allowed, hits: found.hits.filter(({ id }) => ids.has(id)) };
      },
    }),
  ],
  [
    "counts hidden documents",
    "under a filter it finds what is left, and what is hidden is not counted",
    (index) => ({
      countFacets: (query, options) => index.countFacets({ ...query, filter: {} }, options),
    }),
  ],
  [
    "knows hidden words",
    "words that no visible document has are named as they were written, and lower the share",
    (index) => ({
      async searchText({ filter, ...query }, options) {
        const found = await index.searchText({ ...query, filter }, options);
        const { unmatchedTerms, coverage } = await index.searchText(query, options);
        return { ...found, unmatchedTerms, coverage };
      },
    }),
  ],
  [
    "takes no long list of ids",
    "ten thousand allowed ids are no more than a filter",
    (index) => ({
      searchText: async (query, options) => {
        if ((query.filter?.allow?.size ?? 0) > 999) throw new Error("too many parameters");
        return index.searchText(query, options);
      },
    }),
  ],
  [
    "orders values by locale",
    "facets are counted by name, the most frequent first, ties by value, no more than asked for",
    (index) => ({
      countFacets: async (query, options) => {
        const counts = await index.countFacets({ ...query, limit: 100 }, options);
        return Object.fromEntries(
          Object.entries(counts).map(([name, values]) => [
            name,
            values
              .toSorted((one, two) => two.count - one.count || two.value.localeCompare(one.value))
              .slice(0, query.limit),
          ]),
        );
      },
    }),
  ],
  [
    "orders ties by locale",
    "the better match comes first, ties by id in code units, no more than asked for",
    (index) => ({
      searchText: async (query, options) => {
        const found = await index.searchText({ ...query, limit: 100 }, options);
        const hits = found.hits.toSorted(
          (one, two) => two.score - one.score || one.id.localeCompare(two.id),
        );
        return { ...found, hits: hits.slice(0, query.limit) };
      },
    }),
  ],
  [
    "gives the distance for the cosine",
    "a vector finds by direction, with the cosine as its score",
    (index) => ({
      searchVector: async (query, options) =>
        (await index.searchVector(query, options)).map((hit) => ({ ...hit, score: 1 - hit.score })),
    }),
  ],
  [
    "builds statements of texts",
    "texts, ids and tags are never taken for a query language",
    (index) => ({
      searchText: async (query, options) => {
        if (query.text.includes("'")) throw new Error("syntax error");
        return index.searchText(query, options);
      },
    }),
  ],
  [
    "takes any limit",
    "limits that are no whole number from 0 are refused",
    (index) => ({
      countFacets: (query, options) => index.countFacets({ ...query, limit: 10 }, options),
    }),
  ],
  [
    "does not heed a signal",
    "a call whose signal is aborted changes nothing",
    (index) => ({ remove: (ids) => index.remove(ids) }),
  ],
  [
    "goes on when it is aborted on its way",
    "a change that is aborted on its way changes nothing",
    (index) => ({
      put: (documents, options) =>
        index.put(documents, options?.signal?.aborted === true ? options : {}),
    }),
  ],
];

describe("the kit for search indexes", () => {
  it("passes the index in memory", async () => {
    expect(await failures({ open, reopen: same, openSecond: same })).toEqual([]);
  });

  it.each(broken)("finds an index that %s", async (_, rule, fault) => {
    const openBroken = async (): Promise<SearchIndex> => {
      const index = createMemorySearchIndex();
      return { ...index, ...fault(index) };
    };
    expect(await failures({ open: openBroken })).toContain(rule);
  });

  it("finds an index that forgets, and a second handle that looks elsewhere", async () => {
    expect(await failures({ open, reopen: open })).toEqual(["everything outlives the index"]);
    expect(await failures({ open, openSecond: open })).toEqual([
      "a second handle sees each change of the first, and the other way round",
      "changes through two handles at the same time lose nothing",
    ]);
  });
});
