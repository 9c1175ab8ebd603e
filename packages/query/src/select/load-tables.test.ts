import { openSqlite } from "@ccl/sql/node";
import { expect, it } from "vitest";
import { functionConnector } from "../__fixtures__/function-connector.ts";
import type { Connector, TableScan } from "../connector/connector.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { executeSql } from "./run-sql.ts";

const text = { type: "string" };
const tool = {
  name: "rate",
  description: "Units of a currency for a dollar.",
  inputSchema: { type: "object", properties: { currency: text }, required: ["currency"] },
  outputSchema: { type: "object", properties: { per_usd: { type: "number" } } },
  execute: async (input: unknown) => ({ per_usd: Object(input).currency === "EUR" ? 0.5 : 2 }),
};

it("passes constants of WHERE to functions, and loads only the rows that WHERE keeps", async () => {
  const database = await openSqlite({ path: ":memory:" });
  database.exec("CREATE TABLE sales (country TEXT, year INTEGER, dollars REAL)");
  const insert = database.prepare("INSERT INTO sales VALUES (?, ?, ?)");
  for (let year = 2000; year < 2100; year++) insert.run(year % 2 === 0 ? "DE" : "US", year, 10);
  const details = [
    {
      id: "res:sales",
      uri: "ada://any/db/main/sales",
      kind: "tabular",
      title: "sales",
      columns: [
        { name: "country", type: "text" },
        { name: "year", type: "integer" },
        { name: "dollars", type: "real" },
      ],
    },
    {
      id: "res:rate",
      uri: "ada://any/skill/rate",
      kind: "skill",
      title: "rate",
      columns: [
        { name: "currency", type: "string", in: "input" as const, nn: true },
        { name: "per_usd", type: "number", in: "output" as const },
      ],
    },
  ];
  const asked: TableScan[] = [];
  const own = sqlConnector(database);
  const watched: Connector = {
    ...own,
    run(scan, options) {
      asked.push(scan);
      return own.run(scan, options);
    },
  };
  const connectors = { "ada://any/db": watched, "ada://any/skill": functionConnector([tool]) };
  const { rows } = await executeSql(
    `select sum(dollars) * (select per_usd from rate where currency = 'EUR') as euros from sales
     where country = 'DE' and year >= 2090`,
    { details, connectors },
  );
  expect(rows).toEqual([{ euros: 25 }]);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.conditions).toMatchObject([
    { column: "country", operator: "eq", values: ["DE"] },
    { column: "year", operator: "ge", values: [2090] },
  ]);
  const several = await executeSql(
    `select sum(dollars * per_usd) as units from sales cross join rate
     where country in ('DE', 'US') and year between 2098 and 2099 and currency in ('EUR', 'CHF')
       and country not in ('FR') and year not between 1 and 2`,
    { details, connectors },
  );
  expect(several.rows).toEqual([{ units: 50 }]);
  expect(asked[1]?.conditions).toMatchObject([
    { column: "country", operator: "in", values: ["DE", "US"] },
    { column: "year", operator: "ge", values: [2098] },
    { column: "year", operator: "le", values: [2099] },
  ]);
  asked.length = 0;
  const late = await executeSql(
    "select count(*) as n, min(per_usd) as per_usd from (select * from sales order by year limit 5) as s join rate on true where s.year = 2004 and currency = 'EUR'",
    { details, connectors },
  );
  expect(late.rows).toEqual([{ n: 1, per_usd: 0.5 }]);
  expect(asked[0]?.conditions).toEqual([]);
  database.close();
});
