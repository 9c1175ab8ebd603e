import type { FacetFilter, SearchFilter } from "@ccl/search";
import { openSqlite } from "@ccl/sql/node";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { sampleDocument } from "../conformance/search-samples.ts";
import {
  closePglite,
  databaseKinds,
  openTestDatabase,
} from "../postgres/__fixtures__/open-test-database.ts";
import { openPostgresSearchIndex } from "../postgres/index.ts";
import { createMemorySearchIndex } from "../search/create-memory-search-index.ts";
import type { SearchDocument, SearchIndex } from "../search/search-index.ts";
import { openSqliteSearchIndex, type SqlSearchIndex } from "../sqlite/index.ts";

afterAll(closePglite);

const words = [
  ..."order orders customer cust revenue city заказ выручка amount amt date status region invoice payment".split(
    " ",
  ),
  ..."warehouse product price customer_id orderDate userID highSchool high school temperature employee salary".split(
    " ",
  ),
];
const textArbitrary = fc
  .array(fc.constantFrom(...words), { maxLength: 6 })
  .map((chosen) => chosen.join(" "));
const questionArbitrary = fc
  .array(fc.constantFrom(...words, "custmoer", "the", "клиентов", "zebra"), { maxLength: 6 })
  .map((chosen) => chosen.join(" "));
const idArbitrary = fc.constantFrom(
  ...Array.from({ length: 14 }, (_, at) => `res:db.d${at % 3}.t${at}`),
);
const vectorArbitrary = fc.option(
  fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 3, maxLength: 3 }),
  {
    nil: undefined,
  },
);
const documentArbitrary = fc
  .record({
    id: idArbitrary,
    title: textArbitrary,
    description: textArbitrary,
    kind: fc.constantFrom("tabular", "api"),
    tags: fc.subarray(["shop", "pii:none", "lifecycle:stable"]),
    columns: fc.array(
      fc.constantFrom("id", "customer_id", "orderDate", "amt").map((name) => ({ name })),
      { maxLength: 3 },
    ),
    vector: vectorArbitrary,
  })
  .map(({ id, vector, ...fields }) =>
    sampleDocument(id, vector === undefined ? fields : { ...fields, vector }),
  );
const changeArbitrary = fc.oneof(
  { weight: 3, arbitrary: fc.array(documentArbitrary, { maxLength: 6 }).map((put) => ({ put })) },
  { weight: 1, arbitrary: fc.array(idArbitrary, { maxLength: 4 }).map((remove) => ({ remove })) },
);
const filterArbitrary = fc.record(
  {
    facets: fc.constantFrom<FacetFilter[]>(
      {},
      { kind: "api" },
      { tag: ["shop", "pii:none"], lifecycle: "stable" },
    ),
    exclude: fc.array(idArbitrary, { maxLength: 3 }),
    allow: fc.array(idArbitrary, { maxLength: 12 }).map((ids) => new Set(ids)),
  },
  { requiredKeys: [] },
);

async function answersOf(index: SearchIndex, text: string, filter: SearchFilter): Promise<unknown> {
  const vector = Float32Array.from([1, -2, 3]);
  return {
    text: await index.searchText({ text, limit: 10, filter }),
    near: await index.searchVector({ vector, limit: 10, filter }),
    facets: await index.countFacets({ limit: 5, filter }),
  };
}

/** Tables as they are in databases: common words in many, and a few of their own. */
function tableDocument(at: number, round: number): SearchDocument {
  const pick = (step: number): string => words[(at * step + round * 7) % words.length] ?? "";
  return sampleDocument(`res:db.d${at % 90}.${pick(3)}_${at}`, {
    title: `${pick(3)} ${pick(5)}`,
    description: round === 0 ? `${pick(11)} of each ${pick(13)}` : "",
    columns: [{ name: "id" }, { name: `${pick(17)}_${pick(19)}` }, { name: pick(23) }],
    tags: [`d${at % 90}`, `part:${at % 4}`],
  });
}

describe("an index in a database", () => {
  it("answers after any changes to the digit as one in memory that was built at once", async () => {
    const database = await openSqlite({ path: ":memory:", durability: "off" });
    const index = await openSqliteSearchIndex({ database });
    const second = await openSqliteSearchIndex({ database });
    const property = fc.asyncProperty(
      fc.array(changeArbitrary, { maxLength: 10 }),
      questionArbitrary,
      filterArbitrary,
      async (changes, text, filter) => {
        await index.remove(Array.from({ length: 14 }, (_, at) => `res:db.d${at % 3}.t${at}`));
        const left = new Map<string, SearchDocument>();
        for (const [at, change] of changes.entries()) {
          const writer = at % 2 === 0 ? index : second;
          if ("put" in change) {
            await writer.put(change.put);
            for (const document of change.put) left.set(document.record.id, document);
          } else {
            await writer.remove(change.remove);
            for (const id of change.remove) left.delete(id);
          }
        }
        const memory = createMemorySearchIndex();
        await memory.put([...left.values()]);
        const expected = await answersOf(memory, text, filter);
        expect(await answersOf(index, text, filter)).toEqual(expected);
        expect(await answersOf(second, text, filter)).toEqual(expected);
      },
    );
    await fc.assert(property);
    database.close();
  });

  const kinds: [
    name: string,
    open: () => Promise<{ index: SqlSearchIndex; close: () => unknown }>,
  ][] = [
    [
      "SQLite",
      async () => {
        const database = await openSqlite({ path: ":memory:", durability: "off" });
        return { index: await openSqliteSearchIndex({ database }), close: () => database.close() };
      },
    ],
    ...databaseKinds.map((kind): (typeof kinds)[number] => [
      kind,
      async () => {
        const { client, close } = await openTestDatabase(kind, "catalog_same_answers");
        return { index: await openPostgresSearchIndex({ client }), close };
      },
    ]),
  ];

  it.each(kinds)("ranks thousands of tables on %s as one in memory does", async (_kind, open) => {
    const { index, close } = await open();
    const left = new Map<string, SearchDocument>();
    const all = Array.from({ length: 2_300 }, (_, at) => tableDocument(at, 0));
    await index.put(all);
    for (const document of all) left.set(document.record.id, document);
    const gone = all.filter((_, at) => at % 9 === 0).map(({ record }) => record.id);
    await index.remove(gone);
    for (const id of gone) left.delete(id);
    const replaced = all
      .filter((_, at) => at % 7 === 0)
      .map(({ record }, at) => ({ record: { ...tableDocument(at, 1).record, id: record.id } }));
    await index.put(replaced);
    for (const document of replaced) left.set(document.record.id, document);
    const memory = createMemorySearchIndex();
    await memory.put([...left.values()]);
    const filters: SearchFilter[] = [
      {},
      { facets: { part: ["1", "3"] } },
      { allow: new Set([...left.keys()].slice(500)) },
    ];
    for (let asked = 0; asked < 15; asked += 1) {
      const text = `which ${words[asked]} has the highest ${words[(asked * 5) % words.length]} per ${words[(asked * 3) % words.length]}`;
      for (const filter of filters) {
        const expected = await memory.searchText({ text, limit: 10, filter });
        expect(expected.hits).toHaveLength(10);
        expect(await index.searchText({ text, limit: 10, filter })).toEqual(expected);
      }
    }
    await close();
  });
});
