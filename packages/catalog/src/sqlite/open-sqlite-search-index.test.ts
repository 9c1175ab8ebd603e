import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { searchIndexConformance } from "../conformance/index.ts";
import { sampleDocument, shopDocuments } from "../conformance/search-samples.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { openSqliteSearchIndex, type SqlSearchIndex } from "./index.ts";

let folder = "";
let count = 0;
const opened: SqliteDatabase[] = [];
const paths = new WeakMap<SearchIndex, string>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-search-"));
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function openAt(path: string): Promise<{ index: SqlSearchIndex; database: SqliteDatabase }> {
  const database = await openSqlite({ path, durability: "off" });
  opened.push(database);
  const index = await openSqliteSearchIndex({ database });
  paths.set(index, path);
  return { index, database };
}
const newPath = (): string => join(folder, `${(count += 1)}.db`);

describe("openSqliteSearchIndex", () => {
  const rules = searchIndexConformance({
    open: async () => (await openAt(newPath())).index,
    reopen: async (index) => {
      for (const database of opened.splice(0)) database.close();
      return (await openAt(paths.get(index) ?? "")).index;
    },
    openSecond: async (index) => (await openAt(paths.get(index) ?? "")).index,
  });
  // oxlint-disable-next-line vitest/expect-expect -- the rules assert
  it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());

  it("refuses an index that another analyzer made", async () => {
    const { database } = await openAt(newPath());
    const analyzer = { name: "own", documentTerms: () => [], queryWords: () => [] };
    await expect(openSqliteSearchIndex({ database, analyzer })).rejects.toMatchObject({
      code: "invalid_options",
    });
  });

  it.each([
    [
      "entries that are cut",
      "UPDATE ccl_search_postings SET entries = substr(entries, 1, length(entries) - 1)",
    ],
    ["entries that are no bytes", "UPDATE ccl_search_postings SET entries = 7"],
    ["entries out of place", "UPDATE ccl_search_postings SET entries = x'ffff7f0101'"],
    [
      "a body of another shape",
      `UPDATE ccl_search_documents SET body = '{"container":"x","facets":[["a"]],"lengths":[]}'`,
    ],
    ["a body that is no JSON", "UPDATE ccl_search_documents SET body = '{'"],
  ])("notices %s", async (_what, change) => {
    const { index, database } = await openAt(newPath());
    await index.put(shopDocuments);
    database.exec(change);
    await expect(index.searchText({ text: "orders", limit: 5 })).rejects.toMatchObject({
      code: "store_damaged",
    });
  });

  it("notices vectors that are cut", async () => {
    const { index, database } = await openAt(newPath());
    await index.put(shopDocuments);
    database.exec("UPDATE ccl_search_vectors SET vector = x'00000000'");
    const query = { vector: Float32Array.from([1, 2, 3]), limit: 5 };
    await expect(index.searchVector(query)).rejects.toMatchObject({ code: "store_damaged" });
  });

  it("writes nothing for documents that are there as they are", async () => {
    const { index, database } = await openAt(newPath());
    await index.put(shopDocuments);
    const changedOf = (): unknown =>
      database.prepare("SELECT document, changed FROM ccl_search_documents").all();
    const before = changedOf();
    await index.put(shopDocuments);
    expect(changedOf()).toEqual(before);
  });

  it("takes no more room after many changes of the same documents", async () => {
    const { index, database } = await openAt(newPath());
    const textOf = (round: number): string =>
      round % 2 === 0 ? "orders of customers" : "daily revenue by city";
    const documentsOf = (round: number): ReturnType<typeof sampleDocument>[] =>
      Array.from({ length: 100 }, (_, at) =>
        sampleDocument(`res:${at}`, { title: textOf(round), vector: [round, 1] }),
      );
    const rowsOf = (table: string): unknown =>
      database.prepare(`SELECT count(*) AS n FROM ${table}`).get();
    await index.put(documentsOf(0));
    const tables = ["ccl_search_documents", "ccl_search_postings", "ccl_search_vectors"];
    const before = tables.map(rowsOf);
    for (let round = 1; round <= 6; round += 1) await index.put(documentsOf(round));
    expect(tables.map(rowsOf)).toEqual(before);
    expect((await index.searchText({ text: "customers", limit: 200 })).hits).toHaveLength(100);
    await index.remove(documentsOf(0).map(({ record }) => record.id));
    expect(rowsOf("ccl_search_postings")).toEqual({ n: 0 });
    expect(rowsOf("ccl_search_vectors")).toEqual({ n: 0 });
  });

  it("refuses every call once it is closed, after those that are under way", async () => {
    const { index } = await openAt(newPath());
    const under = index.put(shopDocuments);
    await index.close();
    await expect(under).resolves.toBeUndefined();
    await index.close();
    const closed = { code: "closed" };
    await expect(index.put(shopDocuments)).rejects.toMatchObject(closed);
    await expect(index.remove(["a"])).rejects.toMatchObject(closed);
    await expect(index.searchText({ text: "a", limit: 1 })).rejects.toMatchObject(closed);
    await expect(
      index.searchVector({ vector: new Float32Array(1), limit: 1 }),
    ).rejects.toMatchObject(closed);
    await expect(index.countFacets({ limit: 1 })).rejects.toMatchObject(closed);
  });
});
