import { openSqlite } from "@ccl/sql/node";
import type { ResourceDetails } from "@ccl/catalog";
import { describe, expect, it } from "vitest";
import { executePlan } from "../execute/execute-plan.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
import { httpConnector } from "../http/http-connector.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { irSnippetLinter } from "../snippet/ir-snippet-linter.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { explainPlan } from "./explain-plan.ts";

const orders: ResourceDetails = {
  id: "res:orders",
  uri: "ada://any/db/main/orders",
  kind: "tabular",
  title: "orders",
  shape: { rows_est: 10_000 },
  cost_hint: { latency_ms_p50: 20 },
  columns: [
    { name: "id", type: "int", pk: true },
    { name: "city", type: "text" },
    { name: "amount", type: "numeric(12,2)" },
    { name: "status", type: "text" },
  ],
};
const cities: ResourceDetails = {
  id: "res:cities",
  uri: "https://geo.example/v1/cities",
  kind: "api",
  title: "cities",
  shape: { rows_est: 400 },
  cost_hint: { latency_ms_p50: 150 },
  columns: [
    { name: "country", type: "string", in: "query" },
    { name: "country", type: "string", in: "response" },
    { name: "name", type: "string", in: "response", pk: true },
  ],
};
const details = [orders, cities];

function planOf(text: string): LogicalPlan {
  const plan = parseLogicalPlan(text);
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  return plan.value;
}

const joined = planOf(
  "scan(res:orders, city, amount, status) -> filter(status = 'paid\"];--') -> join(scan(res:cities, name, country) -> filter(country = 'DE'), city = name) -> agg(city, sum(amount) as revenue) -> sort(revenue desc) -> limit(3)",
);

describe("explainPlan", () => {
  it("shows what each source does, what DuckDB computes, and the estimated cost", async () => {
    const database = await openSqlite({ path: ":memory:" });
    database.exec("CREATE TABLE orders (city TEXT, amount NUMERIC, status TEXT)");
    const connectors = {
      "ada://any/db/main": sqlConnector(database),
      "https://geo.example": httpConnector({ baseUrl: "https://geo.example/v1" }),
    };
    const explanation = explainPlan(joined, { details, connectors });
    expect(explanation.text).toMatchInlineSnapshot(`
      "SQLite:
        scan1: scan res:orders (city, amount, status) where status = 'paid"];--'
        gives: city, amount, status; about 100 rows, 4 kB
      geo.example:
        scan3: scan res:cities (name, country) where country = 'DE'
        gives: name, country; about 20 rows, 640 B
      here:
        filter2: filter status = 'paid"];--'
        filter4: filter country = 'DE'
        join5: inner join filter2 with filter4 on city = name
        aggregate6: aggregate sum(amount) as revenue by city
        sort7: sort by revenue desc
        limit8: limit 3
      result: city text, revenue decimal(24,2)
      moved: about 120 rows, 4.64 kB, 170 ms of latency
      warning join_not_on_keys: The catalog knows no key for "city" = "name"; rows may repeat or be missing. Join on a foreign key, or make sure.
      "
    `);
    database.close();
  });

  it("stops pushing a condition down once the substituted expressions grow too large", () => {
    const doubling = " -> project(amount * 1.0 + amount as amount)".repeat(30);
    const cast = "scan(res:orders, amount) -> project(cast(amount as float) as amount)";
    const plan = planOf(
      `${cast}${doubling.replaceAll("1.0", "1.0e0")} -> filter(amount > 1) -> limit(5)`,
    );
    expect(explainPlan(plan, { details }).text.length).toBeLessThan(20_000);
  });

  it("uses only the catalog cards if no connectors are given", () => {
    const { sources, local, cost } = explainPlan(joined, { details });
    expect(sources.map(({ source, steps }) => [source, steps.map(({ op }) => op)])).toEqual([
      ["ada://any/db/main/", ["scan"]],
      ["https://geo.example/v1/", ["scan"]],
    ]);
    expect(local.map(({ op }) => op)).toEqual([
      "filter",
      "filter",
      "join",
      "aggregate",
      "sort",
      "limit",
    ]);
    expect(cost.latencyMs).toBe(170);
  });

  it("has no cost estimates if the catalog has no row counts", () => {
    const { shape: _, ...bare } = orders;
    expect(explainPlan(planOf("scan(res:orders, id)"), { details: [bare] }).cost).toEqual({
      rows: undefined,
      bytes: undefined,
      latencyMs: 20,
    });
  });

  it("rejects an invalid plan, and one that reads what the principal may not see", () => {
    const access = {
      canRead: ({ resource }: { resource: ResourceDetails }) => resource.id !== "res:cities",
    };
    expect(() => explainPlan(joined, { details, access })).toThrow(
      expect.objectContaining({ code: "plan_invalid" }),
    );
  });
});

describe("irSnippetLinter", () => {
  it.each<[string, string[]]>([
    ["scan→filter(status='paid')→agg(city, sum(amount) as revenue)", []],
    ["scan→filter(state='paid')", ["column_unknown"]],
    ["scan→join(res:cities, city = name)→project(name, amount)", []],
    ["scan→join(res:nowhere, city = name)", ["resource_unknown"]],
    ["scan→filter(", ["expression_invalid"]],
  ])("finds in %s: %j", (code, codes) => {
    const issues = irSnippetLinter([cities])({ engine: "ir", code }, { resource: orders });
    expect(
      issues.filter(({ severity }) => severity !== "warning").map((issue) => issue.code),
    ).toEqual(codes);
  });
});

describe("a plan over a database and an API", () => {
  it("is explained the way it runs", async () => {
    const engine = await openDuckDbEngine({ threads: 1 });
    const database = await openSqlite({ path: ":memory:" });
    database.exec("CREATE TABLE orders (id INTEGER, city TEXT, amount NUMERIC, status TEXT)");
    database
      .prepare("INSERT INTO orders VALUES (1, 'Ulm', 3, ?), (2, 'Bonn', 5, 'open')")
      .run('paid"];--');
    const fetch = async (): Promise<Response> =>
      Response.json([
        { name: "Ulm", country: "DE" },
        { name: "Linz", country: "AT" },
      ]);
    const connectors = {
      "ada://any/db/main": sqlConnector(database),
      "https://geo.example": httpConnector({ baseUrl: "https://geo.example/v1", fetch }),
    };
    const result = await executePlan(joined, { details, connectors, engine });
    expect(await result.all()).toEqual([{ city: "Ulm", revenue: "3.00" }]);
    const ran = result.statistics().sources.map(({ connector, steps }) => [connector, steps]);
    expect(
      explainPlan(joined, { details, connectors }).sources.map(({ name, steps }) => [
        name,
        steps.map((step) => step.name),
      ]),
    ).toEqual(ran);
    database.close();
    await engine.close();
  });
});
