import { afterAll, describe, expect, it } from "vitest";

import { searchIndexConformance } from "../conformance/index.ts";
import {
  answersOf,
  idsByText,
  idsByVector,
  sampleDocument,
  shopDocuments,
} from "../conformance/search-samples.ts";
import { createMemorySearchIndex } from "../search/create-memory-search-index.ts";
import type { SearchDocument } from "../search/search-index.ts";
import { openPostgresSearchIndex, type SqlSearchIndex } from "./index.ts";
import {
  closePglite,
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "./__fixtures__/open-test-database.ts";

const opened: TestDatabase[] = [];
const places = new WeakMap<object, TestDatabase>();
afterAll(async () => {
  for (const { close } of opened) await close();
  await closePglite();
});

async function openNew(kind: string): Promise<TestDatabase> {
  const database = await openTestDatabase(kind, `catalog_search_tests_${opened.length}`);
  opened.push(database);
  return database;
}
async function openIn(database: TestDatabase): Promise<SqlSearchIndex> {
  const index = await openPostgresSearchIndex({ client: database.client });
  places.set(index, database);
  return index;
}
async function openAgain(index: object): Promise<SqlSearchIndex> {
  const database = places.get(index);
  if (database === undefined) throw new Error("The index is none of these tests.");
  return openIn(database);
}

describe.each(databaseKinds)("openPostgresSearchIndex on %s", (kind) => {
  const open = async (): Promise<SqlSearchIndex> => openIn(await openNew(kind));
  const rules = searchIndexConformance({ open, reopen: openAgain, openSecond: openAgain });
  // oxlint-disable-next-line vitest/expect-expect -- the rules assert
  it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());

  it("compares vectors one by one where the extension is not there", async () => {
    const { client } = await openNew(kind);
    const index = await openPostgresSearchIndex({ client, dimensions: 3 });
    await index.put(shopDocuments);
    expect(await idsByVector(index, [1, -2, 3])).toHaveLength(3);
  });

  it("notices entries that are cut", async () => {
    const database = await openNew(kind);
    const index = await openIn(database);
    await index.put([sampleDocument("a", { title: "orders" })]);
    await database.exec("UPDATE ccl_search_postings SET entries = substring(entries from 1 for 2)");
    await expect(idsByText(index, "orders")).rejects.toMatchObject({ code: "store_damaged" });
  });

  it.each([0, 1.5, 20_000])("refuses %d dimensions", async (dimensions) => {
    const { client } = await openNew(kind);
    await expect(openPostgresSearchIndex({ client, dimensions })).rejects.toMatchObject({
      code: "invalid_options",
    });
  });
});

// Only PGlite brings the extension along.
describe("openPostgresSearchIndex with pgvector", () => {
  const dimensions = 8;
  const randomVector = (seed: number): number[] => {
    let state = seed * 2_654_435_761 + 1;
    return Array.from({ length: dimensions }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 31 - 1;
    });
  };
  const many: SearchDocument[] = Array.from({ length: 2_100 }, (_, at) =>
    sampleDocument(`res:${at}`, {
      title: `t${at}`,
      tags: [`part:${at % 50}`],
      vector: randomVector(at),
    }),
  );

  async function openWithExtension(): Promise<{ database: TestDatabase; index: SqlSearchIndex }> {
    const database = await openNew("PGlite");
    await database.exec("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public");
    return {
      database,
      index: await openPostgresSearchIndex({ client: database.client, dimensions }),
    };
  }

  it("finds through its index nearly what comparing all finds, and exactly that under a filter", async () => {
    const { index } = await openWithExtension();
    const exact = createMemorySearchIndex();
    await index.put(many);
    await exact.put(many);
    let shared = 0;
    for (let asked = 0; asked < 20; asked += 1) {
      const vector = randomVector(10_000 + asked);
      const expected = new Set(await idsByVector(exact, vector, { limit: 10 }));
      shared += (await idsByVector(index, vector, { limit: 10 })).filter((id) =>
        expected.has(id),
      ).length;
      const filter = { facets: { part: [String(asked), "49"] } };
      expect(await idsByVector(index, vector, { ...filter, limit: 10 })).toEqual(
        await idsByVector(exact, vector, { ...filter, limit: 10 }),
      );
      const allow = new Set(many.slice(0, 2_050).map(({ record }) => record.id));
      expect(await idsByVector(index, vector, { allow, limit: 10 })).toHaveLength(10);
    }
    expect(shared).toBeGreaterThan(180);
  });

  it("keeps its index up to date whoever writes, and fills it with what was there before", async () => {
    const database = await openNew("PGlite");
    await database.exec("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public");
    const plain = await openPostgresSearchIndex({ client: database.client });
    const [first, second, third] = many;
    if (first === undefined || second === undefined || third === undefined)
      throw new Error("There are none.");
    await plain.put([first, second]);
    const index = await openPostgresSearchIndex({ client: database.client, dimensions });
    await plain.put([
      third,
      sampleDocument("res:1"),
      sampleDocument("res:0", { vector: randomVector(77) }),
    ]);
    await plain.remove(["res:2"]);
    const rebuilt = createMemorySearchIndex();
    await rebuilt.put([
      sampleDocument("res:1"),
      sampleDocument("res:0", { vector: randomVector(77) }),
    ]);
    const query = { vector: Float32Array.from(randomVector(5)), limit: 10 };
    const [hit, ...others] = await index.searchVector(query);
    const [expected] = await rebuilt.searchVector(query);
    expect(others).toEqual([]);
    expect(hit?.id).toBe("res:0");
    expect(hit?.score).toBeCloseTo(expected?.score ?? 9, 5);
  });

  it("refuses vectors and openings of other dimensions", async () => {
    const { database, index } = await openWithExtension();
    const refusal = { code: "invalid_options" };
    await expect(index.put([sampleDocument("a", { vector: [1, 2] })])).rejects.toMatchObject(
      refusal,
    );
    await expect(
      openPostgresSearchIndex({ client: database.client, dimensions: 3 }),
    ).rejects.toMatchObject(refusal);
    expect(
      await answersOf(await openPostgresSearchIndex({ client: database.client, dimensions })),
    ).toBeDefined();
  });
});
