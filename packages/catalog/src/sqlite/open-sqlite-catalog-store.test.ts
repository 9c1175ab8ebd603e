import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { catalogStoreConformance } from "../conformance/index.ts";
import { sampleWrite } from "../conformance/sample-records.ts";
import type { CatalogStore } from "../store/catalog-store.ts";
import { openSqliteCatalogStore } from "./index.ts";

let folder = "";
let count = 0;
const opened: SqliteDatabase[] = [];
const paths = new WeakMap<CatalogStore, string>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-catalog-"));
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function openAt(path: string): Promise<{ store: CatalogStore; database: SqliteDatabase }> {
  const database = await openSqlite({ path, durability: "off" });
  opened.push(database);
  const store = await openSqliteCatalogStore({ database });
  paths.set(store, path);
  return { store, database };
}
const newPath = (): string => join(folder, `${(count += 1)}.db`);

describe("openSqliteCatalogStore", () => {
  const rules = catalogStoreConformance({
    open: async () => (await openAt(newPath())).store,
    async reopen(store) {
      await store.close();
      for (const database of opened.splice(0)) database.close();
      return (await openAt(paths.get(store) ?? "")).store;
    },
    openSecond: async (store) => (await openAt(paths.get(store) ?? "")).store,
  });
  // oxlint-disable-next-line vitest/expect-expect -- the rules assert
  it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());

  it.each([
    ["record", "UPDATE ccl_catalog_resources SET record = replace(record, 'orders', 'forged')"],
    ["id", "UPDATE ccl_catalog_resources SET id_key = '0062'"],
  ])("notices a changed %s", async (_part, change) => {
    const { store, database } = await openAt(newPath());
    await store.write([sampleWrite("a")]);
    database.exec(change);
    await expect(store.list()).rejects.toMatchObject({ code: "store_damaged" });
  });

  it("opens a file of its own, and closes it", async () => {
    const path = newPath();
    const store = await openSqliteCatalogStore({ path });
    await store.write([sampleWrite("a'); DROP TABLE ccl_catalog_resources; --")]);
    await store.close();
    const again = await openSqliteCatalogStore({ path });
    expect((await again.list()).resources.map(({ record }) => record.id)).toEqual([
      "a'); DROP TABLE ccl_catalog_resources; --",
    ]);
    await again.close();
  });

  it("refuses a file that is no database, and options without a place", async () => {
    await expect(openSqliteCatalogStore({})).rejects.toMatchObject({ code: "invalid_options" });
    await expect(
      openSqliteCatalogStore({ path: join(folder, "no", "such") }),
    ).rejects.toMatchObject({
      code: "store_failed",
    });
  });

  it("loses no write of two handles that work at the same time", async () => {
    const path = newPath();
    const { store: one } = await openAt(path);
    const { store: two } = await openAt(path);
    const ids = Array.from({ length: 40 }, (_, at) => `res:${String(at).padStart(2, "0")}`);
    await Promise.all(ids.map((id, at) => (at % 2 === 0 ? one : two).write([sampleWrite(id)])));
    const { changes } = await one.changesAfter(0);
    expect(changes.map(({ version }) => version)).toEqual(ids.map((_, at) => at + 1));
    expect(changes.map(({ id }) => id).sort()).toEqual(ids);
  });
});
