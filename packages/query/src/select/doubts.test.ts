import type { ResourceDetails } from "@ccl/catalog";
import { estimatedCounter } from "@ccl/core";
import { openSqlite } from "@ccl/sql/node";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/open-duckdb-engine.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { executeSql } from "./run-sql.ts";

const address = "ada://any/db/shop";
const table = (name: string, columns: ResourceDetails["columns"]): ResourceDetails => ({
  id: `res:${name}`,
  uri: `${address}/${name}`,
  kind: "tabular",
  title: name,
  columns,
});
const details = [
  table("customers", [
    { name: "id", type: "int", pk: true },
    { name: "name", type: "text" },
    { name: "country", type: "text" },
  ]),
  table("orders", [
    { name: "id", type: "int", pk: true },
    { name: "customer_id", type: "int", fk: "customers.id" },
    { name: "year", type: "int" },
    { name: "code", type: "text" },
  ]),
];
const customers = [
  { id: 1, name: "Ann", country: "USA" },
  { id: 2, name: "Bob", country: "USA" },
  { id: 3, name: "Cyd", country: "France" },
];
const orders = [
  { id: 1, customer_id: 1, year: 2023, code: "A-1" },
  { id: 2, customer_id: 3, year: 2024, code: "A-2" },
];

const sqlite = await openSqlite({ path: ":memory:" });
sqlite.exec(`CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, year INTEGER, code TEXT)`);
for (const { id, name, country } of customers)
  sqlite.prepare("INSERT INTO customers VALUES (?, ?, ?)").run(id, name, country);
for (const { id, customer_id, year, code } of orders)
  sqlite.prepare("INSERT INTO orders VALUES (?, ?, ?, ?)").run(id, customer_id, year, code);
const engine = await openDuckDbEngine();
afterAll(async () => {
  sqlite.close();
  await engine.close();
});

const sources = {
  SQLite: sqlConnector(sqlite),
  memory: createMemoryConnector({ "res:customers": customers, "res:orders": orders }),
};

describe.each(["SQLite", "memory"] as const)("doubts about a result of %s", (source) => {
  const asked = (text: string): ReturnType<typeof executeSql> =>
    executeSql(text, { details, connectors: { [address]: sources[source] }, engine });

  it.each([
    [
      "a literal in another case",
      "select count(*) from customers where country = 'usa'",
      ["country = 'usa': no row has it; there is 'USA' (2)."],
    ],
    [
      "a literal with a typo, beside one that exists",
      "select name from customers where country in ('France', 'UAS')",
      ["country = 'UAS': no row has it; there is 'USA' (2)."],
    ],
    [
      "a literal unlike all values, in a subquery",
      "select id from orders where customer_id not in (select id from customers where country = 'Atlantis')",
      ["country = 'Atlantis': no row has it; there is 'USA' (2), 'France' (1)."],
    ],
    [
      "a column that WITH passes on",
      "with c as (select id, country as place from customers) select id from c where place <> 'france'",
      ["country <> 'france': no row has it; there is 'France' (1)."],
    ],
    [
      "a text that lower cannot return",
      "select id from customers where lower(country) = 'USA'",
      ["lower(country) = 'USA': no row has it; there is 'usa' (2)."],
    ],
    [
      "a bound beyond all values, in an empty result",
      "select id from orders where year > 2030",
      ["year > 2030: no row has it; it goes from 2023 to 2024."],
    ],
    [
      "a join that ignores the catalog's key",
      "select name from customers c join orders o on c.id = o.id",
      ["c.id = o.id: by the keys of the catalog it may be o.customer_id = c.id."],
    ],
    [
      "a join that drops all rows",
      "select c.name from customers c left join orders o on c.name = o.code",
      [
        "c.name = o.code: by the keys of the catalog it may be o.customer_id = c.id.",
        "c.name = o.code joins no rows: c.name is like 'Ann', o.code is like 'A-1'.",
      ],
    ],
    [
      "nothing if nothing is suspicious",
      "select c.name from customers c join orders o on c.id = o.customer_id",
      [],
    ],
    [
      "nothing for a bound that only other conditions make empty",
      "select id from orders where year > 2023 and id < 2",
      [],
    ],
    [
      "like, which ignores case only in SQLite",
      "select id from customers where country like 'FR%'",
      source === "SQLite" ? [] : ["country like 'FR%': no row has it; there is 'France' (1)."],
    ],
  ])("report %s", async (_, text, doubts) => {
    expect((await asked(text)).doubts).toEqual(doubts);
  });

  it("report a text in double quotes, which SQLite accepts", async () => {
    const text = 'select id from customers where country = "usa"';
    const connectors = { [address]: sources[source] };
    const { doubts } = await executeSql(text, { details, connectors, engine, dialect: "sqlite" });
    expect(doubts).toEqual(["country = 'usa': no row has it; there is 'USA' (2)."]);
  });

  it("come with the number of rows without the LIMIT", async () => {
    expect((await asked("select id from customers order by id limit 2")).total).toBe(3);
    expect((await asked("select id from customers limit 2 offset 1")).total).toBe(3);
    expect((await asked("select id from customers limit 9")).total).toBeUndefined();
  });

  it("never quote a value that a row rule hides", async () => {
    const run = (text: string): ReturnType<typeof executeSql> =>
      executeSql(text, {
        details,
        connectors: { [address]: sources[source] },
        engine,
        principal: { id: "ann" },
        access: { canRead: () => true, rowsOf: () => "country = 'France'" },
      });
    const hidden = await run("select id from customers where country = 'usa'");
    expect(hidden.doubts.join()).not.toContain("USA");
    const seen = await run("select id from customers where country = 'france'");
    expect(seen.doubts.join()).toContain("'France' (1)");
  });
});

it("keeps doubts within 60 tokens, whatever the literals", async () => {
  const literals = fc.array(fc.string({ minLength: 1, maxLength: 200 }), {
    minLength: 1,
    maxLength: 4,
  });
  let doubted = 0;
  await fc.assert(
    fc.asyncProperty(literals, async (texts) => {
      const conditions = texts.map((text) => `country = '${text.replaceAll("'", "''")}'`);
      const { doubts } = await executeSql(
        `select id from customers where ${conditions.join(" or ")}`,
        { details, connectors: { [address]: sources.SQLite } },
      );
      doubted += doubts.length;
      const tokens = doubts.map((doubt) => estimatedCounter.count(doubt));
      expect(tokens.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(60);
    }),
    { numRuns: byLength({ test: 10, ci: 30, faults: 500 }) },
  );
  expect(doubted).toBeGreaterThan(0);
});

it("does not read an API again for doubts", async () => {
  let reads = 0;
  const api = {
    name: "api",
    async *run() {
      reads += 1;
      yield { rowCount: 0, columns: [] };
    },
  };
  const result = await executeSql("select id from customers where country = 'usa'", {
    details,
    connectors: { [address]: api },
  });
  expect([reads, result.doubts]).toEqual([1, []]);
});
