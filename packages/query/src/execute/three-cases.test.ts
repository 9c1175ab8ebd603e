import { createCatalog, type Catalog } from "@ccl/catalog";
import { fromOpenApi, fromSqlDatabase, fromTools } from "@ccl/catalog/importers";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendJson, startApi, type TestApi } from "../__fixtures__/start-api.ts";
import { planDetails } from "../compile/plan-details.ts";
import type { QueryEngine } from "../connector/connector.ts";
import type { Connectors } from "../connector/find-connector.ts";
import { functionConnector } from "../__fixtures__/function-connector.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
import { httpConnector } from "../http/http-connector.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { executePlan } from "./execute-plan.ts";
import type { PlanRow } from "./query-result.ts";

const orders: [id: number, city: string, amount: number, status: string][] = [
  [1, "Ulm", 10.5, "paid"],
  [2, "Köln", 4, "paid"],
  [3, "Ulm", 1, "open"],
  [4, "Bonn", 2, "paid"],
];
const shops = [
  { id: 7, city: "Ulm", area: 120 },
  { id: 8, city: "Köln", area: 80 },
  { id: 9, city: "Ulm", area: 60 },
];
const forecast = {
  name: "forecast",
  description: "Temperature of a city.",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  outputSchema: {
    type: "object",
    properties: { place: { type: "string" }, celsius: { type: "number" } },
    required: ["place"],
  },
  execute: async (input: unknown) => {
    const city = String(Object(input).city);
    return { place: city, celsius: city.length };
  },
};
const object = {
  type: "object",
  properties: { id: { type: "integer" }, city: { type: "string" }, area: { type: "integer" } },
};

let database: SqliteDatabase;
let api: TestApi;
let engine: QueryEngine;
let catalog: Catalog;
let connectors: Connectors;

beforeAll(async () => {
  engine = await openDuckDbEngine({ threads: 1 });
  database = await openSqlite({ path: ":memory:" });
  database.exec(
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, city TEXT, amount REAL, status TEXT)",
  );
  for (const row of orders) database.prepare("INSERT INTO orders VALUES (?, ?, ?, ?)").run(...row);
  api = await startApi((url, response) => {
    const city = url.searchParams.get("city");
    sendJson(
      response,
      shops.filter((shop) => city === null || shop.city === city),
    );
  });
  const document = {
    openapi: "3.1.0",
    info: { title: "shops", version: "1" },
    servers: [{ url: api.baseUrl }],
    paths: {
      "/shops": {
        get: {
          operationId: "listShops",
          parameters: [{ name: "city", in: "query", schema: { type: "string" } }],
          responses: {
            200: {
              description: "shops",
              content: { "application/json": { schema: { type: "array", items: object } } },
            },
          },
        },
      },
    },
  };
  catalog = createCatalog();
  const operations = fromOpenApi(document, { name: "shops" });
  if (!operations.ok) throw new Error("no OpenAPI");
  await catalog.register([
    ...(await fromSqlDatabase(database, { name: "main" })),
    ...operations.value,
    ...fromTools([forecast]),
  ]);
  connectors = {
    "ada://any/db": sqlConnector(database),
    [api.baseUrl]: httpConnector({ baseUrl: api.baseUrl }),
    "ada://any/skill": functionConnector([forecast]),
  };
});
afterAll(async () => {
  await engine.close();
  await api.close();
  database.close();
});

const ids = {
  db: "res:db.sqlite.main.orders",
  api: "res:api.shops.listShops",
  skill: "res:skill.forecast",
};

async function run(text: string): Promise<PlanRow[]> {
  const details = await planDetails(catalog, Object.values(ids));
  const plan = parseLogicalPlan(text);
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  return (await executePlan(plan.value, { details, connectors, engine })).all();
}

const revenueByCity = (wanted: string): PlanRow[] =>
  [...new Set(orders.filter(([, , , status]) => status === wanted).map(([, city]) => city))]
    .toSorted()
    .map((city) => ({
      city,
      revenue: orders
        .filter((row) => row[1] === city && row[3] === wanted)
        .reduce((sum, row) => sum + row[2], 0),
    }));

describe("a plan over imported resources", () => {
  it("gives the hand-computed result over a database", async () => {
    const plan = `scan(${ids.db}, city, amount, status)→filter(status = 'paid')→agg(city, sum(amount) as revenue)→sort(city)`;
    expect(await run(plan)).toEqual(revenueByCity("paid"));
  });

  it("gives the hand-computed result over an API", async () => {
    const plan = `scan(${ids.api}, city, area)→filter(city = 'Ulm' and area > 100)→agg(sum(area) as area, count() as n)`;
    const byHand = shops.filter(({ city, area }) => city === "Ulm" && area > 100);
    expect(await run(plan)).toEqual([
      { area: byHand.reduce((sum, { area }) => sum + area, 0), n: byHand.length },
    ]);
    expect(api.requests.at(-1)).toBe("/shops?city=Ulm");
  });

  it("gives the hand-computed result over a function", async () => {
    const plan = `scan(${ids.skill}, city, place, celsius)→filter(city in ('Ulm', 'Bonn'))→sort(place)→project(place, celsius)`;
    expect(await run(plan)).toEqual(
      ["Bonn", "Ulm"].map((place) => ({ place, celsius: place.length })),
    );
  });

  it("gives the hand-computed result over all three together", async () => {
    const plan = `scan(${ids.db}, id, city, amount)→join(scan(${ids.api}, city, area), city = city as shop_)→join(scan(${ids.skill}, city, place, celsius)→filter(city in ('Ulm', 'Köln')), city = place as now_)→project(id, shop_area, now_celsius, amount)→sort(id, shop_area)`;
    const byHand = orders.flatMap(([id, city, amount]) =>
      shops
        .filter((shop) => shop.city === city)
        .map(({ area }) => ({ id, shop_area: area, now_celsius: city.length, amount })),
    );
    expect(await run(plan)).toEqual(
      byHand.toSorted((left, right) => left.id - right.id || left.shop_area - right.shop_area),
    );
  });
});

describe("hostile text", () => {
  const hostile = [
    "'; DROP TABLE orders; --",
    '" OR 1=1 --',
    "\\'; --",
    "$1 ? :a @b",
    "%",
    "\u202E\u{1F389}",
    "/* */",
    "x' UNION SELECT 1 --",
    "{{city}}",
    "../../admin?x=1#y",
  ];

  it.each(hostile)("remains a value in every source: %s", async (value) => {
    const quoted = `'${value.replaceAll("'", "''")}'`;
    expect(await run(`scan(${ids.db}, id, city)→filter(city = ${quoted})`)).toEqual([]);
    expect(await run(`scan(${ids.api}, id, city)→filter(city = ${quoted})`)).toEqual([]);
    expect(new URL(api.requests.at(-1) ?? "", "http://localhost").searchParams.get("city")).toBe(
      value,
    );
    expect(
      await run(`scan(${ids.skill}, city, place)→filter(city = ${quoted})→project(place)`),
    ).toEqual([{ place: value }]);
    expect(database.prepare("SELECT count(*) AS n FROM orders").all()).toEqual([
      { n: orders.length },
    ]);
  });

  it.each(hostile.filter((name) => !/[\u202E]/.test(name)))(
    "remains a name in every step: %s",
    async (name) => {
      const quoted = `"${name.replaceAll('"', '""')}"`;
      const plan = parseLogicalPlan(
        `scan(${ids.db}, id, amount)→project(id as ${quoted}, amount)→agg(${quoted}, sum(amount) as s)→sort(${quoted})→limit(1)`,
      );
      if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
      const details = await planDetails(catalog, plan.value);
      const result = await executePlan(plan.value, { details, connectors, engine });
      expect(await result.all()).toEqual([{ [name]: 1, s: 10.5 }]);
    },
  );

  it.each([...hostile, ids.db.replace("orders", "nope")])(
    "never names a resource or column: %s",
    async (name) => {
      await expect(run(`scan('${name.replaceAll("'", "''")}')`)).rejects.toMatchObject({
        code: "plan_invalid",
      });
      await expect(run(`scan(${ids.db}, "${name.replaceAll('"', '""')}")`)).rejects.toMatchObject({
        code: "plan_invalid",
      });
    },
  );
});
