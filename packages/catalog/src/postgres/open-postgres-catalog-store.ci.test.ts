import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { catalogStoreConformance } from "../conformance/index.ts";
import { sampleWrite } from "../conformance/sample-records.ts";
import type { CatalogStore } from "../store/catalog-store.ts";
import { openPostgresCatalogStore } from "./index.ts";
import {
  closePglite,
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "./__fixtures__/open-test-database.ts";

describe.each(databaseKinds)("openPostgresCatalogStore on %s", (kind) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(kind, "catalog_store_tests");
  });
  afterAll(async () => {
    await database.close();
    await closePglite();
  });

  async function open(): Promise<CatalogStore> {
    const store = await openPostgresCatalogStore(database);
    await database.exec(
      "TRUNCATE ccl_catalog_resources, ccl_catalog_history, ccl_catalog_vectors; UPDATE ccl_catalog_state SET version = 0",
    );
    return store;
  }

  const rules = catalogStoreConformance({
    open,
    async reopen(store) {
      await store.close();
      return openPostgresCatalogStore(database);
    },
    openSecond: () => openPostgresCatalogStore(database),
  });
  // oxlint-disable-next-line vitest/expect-expect -- the rules assert
  it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());

  it("notices a changed record", async () => {
    const store = await open();
    await store.write([sampleWrite("a'); DROP TABLE ccl_catalog_resources; --")]);
    const change = "UPDATE ccl_catalog_resources SET record = replace(record, 'orders', 'forged')";
    await database.exec(change);
    await expect(store.list()).rejects.toMatchObject({ code: "store_damaged" });
  });

  it("gives no version to readers before all below it are there", async () => {
    const one = await open();
    const two = await openPostgresCatalogStore(database);
    const ids = Array.from({ length: 30 }, (_, at) => `res:${at}`);
    const seen: number[] = [];
    const writes = ids.map((id, at) => (at % 2 === 0 ? one : two).write([sampleWrite(id)]));
    for (let after = 0; after < ids.length;) {
      const page = await two.changesAfter(after);
      seen.push(...page.changes.map(({ version }) => version));
      after = page.after;
    }
    await Promise.all(writes);
    expect(seen).toEqual(ids.map((_, at) => at + 1));
  });
});
