import assert from "node:assert/strict";

import { type Catalog, createCatalog } from "@ccl/catalog";
import { fromOpenApi, fromSqlDatabase, fromTools } from "@ccl/catalog/importers";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";

import { fillDatabase } from "./fill-database.ts";
import { analystSkills } from "./skills.ts";
import { startRatesApi } from "./start-rates-api.ts";

/** The analyst's sources: a database, an API, and functions. */
export interface AnalystWorld {
  database: SqliteDatabase;
  /** The address of the API, on loopback. */
  apiUrl: string;
  /** All sources as resources of one catalog. */
  importResources(): Promise<Catalog>;
  close(): Promise<void>;
}

/** Fills a database from public data sets and starts the API. */
export async function openWorld(): Promise<AnalystWorld> {
  const database = await openSqlite({ path: ":memory:" });
  const rows = await fillDatabase(database);
  const api = await startRatesApi();
  console.log(
    `1 A database of ${rows.size} tables and ${sum(rows.values())} rows, an API, ${analystSkills.length} functions`,
  );
  return {
    database,
    apiUrl: api.url,
    async importResources() {
      const tables = await fromSqlDatabase(database, { name: "vega", sampleRows: 1_000 });
      const document: unknown = await (await fetch(`${api.url}/openapi.json`)).json();
      const operations = fromOpenApi(document, { name: "rates" });
      assert.ok(operations.ok, "the API's document is an OpenAPI");
      const skills = fromTools(analystSkills, { group: "analyst" });
      const catalog = createCatalog();
      const registered = await catalog.register([...tables, ...operations.value, ...skills]);
      assert.ok(registered.ok, "what importers give can be registered");
      assert.equal(registered.value.added.length, rows.size + 2 + analystSkills.length);
      const { items } = await catalog.overview({ ids: ["res:db.sqlite.vega.flights"] });
      assert.equal(
        items[0]?.shape?.rows_est,
        rows.get("flights"),
        "row numbers are those of the database",
      );
      console.log(`2 A catalog of ${registered.value.added.length} resources`);
      return catalog;
    },
    async close() {
      await api.close();
      database.close();
    },
  };
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
