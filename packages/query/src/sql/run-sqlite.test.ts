import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { executePlan, type ExecutePlanOptions } from "../execute/execute-plan.ts";
import type { QueryResult } from "../execute/query-result.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
import type { QueryEngine } from "../connector/connector.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { sqlConnector } from "./sql-connector.ts";

let database: SqliteDatabase;
let engine: QueryEngine;

beforeAll(async () => {
  engine = await openDuckDbEngine({ threads: 1 });
  database = await openSqlite({ path: ":memory:" });
  database.exec("CREATE TABLE t (id INTEGER, big INTEGER, price NUMERIC, name TEXT)");
  const insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?)");
  for (let id = 0; id < 1_000; id++)
    insert.run((id * 7) % 1_000, 9_007_199_254_740_993n, id / 100, `n${id}`);
});
afterAll(async () => {
  await engine.close();
  database.close();
});

const details = [
  {
    id: "res:t",
    uri: "ada://any/db/main/t",
    kind: "tabular",
    title: "t",
    columns: [
      { name: "id", type: "int" },
      { name: "big", type: "bigint" },
      { name: "price", type: "numeric(18,2)" },
      { name: "name", type: "text" },
    ],
  },
];

function start(plan: string, more: Partial<ExecutePlanOptions> = {}): Promise<QueryResult> {
  const parsed = parseLogicalPlan(plan);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const connectors = { "ada://any/db/main": sqlConnector(database) };
  return executePlan(parsed.value, { details, connectors, engine, ...more });
}

describe("rows of SQLite", () => {
  it("arrive complete and in order, including integers beyond a safe number", async () => {
    const rows = await (await start("scan(res:t, id, big) -> sort(id)", { batchRows: 64 })).all();
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, id) => id));
    expect(new Set(rows.map(({ big }) => big))).toEqual(new Set([9_007_199_254_740_993n]));
  });

  it("of two interleaved queries do not mix", async () => {
    const first = (await start("scan(res:t, id) -> sort(id)", { batchRows: 10 })).rows();
    const second = (await start("scan(res:t, name)", { batchRows: 10 }))
      .rows()
      [Symbol.asyncIterator]();
    const seen: unknown[] = [];
    for await (const row of first) {
      const { value } = await second.next();
      seen.push([row["id"], value?.["name"]]);
    }
    expect((await second.next()).done).toBe(true);
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, id) => [id, `n${id}`]));
  });

  it("end with an error at a value of the wrong type, after which the connection still works", async () => {
    database.exec(
      "CREATE TABLE odd (id INTEGER, n INTEGER); INSERT INTO odd VALUES (1, 1), (2, 'x'), (3, 3)",
    );
    const odd = [
      { ...details[0], id: "res:odd", uri: "ada://any/db/main/odd", kind: "tabular", title: "odd" },
    ].map((resource) => ({
      ...resource,
      columns: [
        { name: "id", type: "int" },
        { name: "n", type: "int" },
      ],
    }));
    const reading = (await start("scan(res:odd, id, n)", { details: odd })).all();
    await expect(reading).rejects.toMatchObject({ code: "value_invalid" });
    database.exec("DROP TABLE odd");
    expect(await (await start("scan(res:t, id) -> agg(count() as n)")).all()).toEqual([
      { n: 1_000 },
    ]);
  });

  it("end at an abort between two batches, and at a limit", async () => {
    const controller = new AbortController();
    const result = await start("scan(res:t, id)", { batchRows: 10, signal: controller.signal });
    let batches = 0;
    const reading = async (): Promise<void> => {
      for await (const batch of result.batches) {
        batches += batch.rowCount / 10;
        controller.abort();
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: "aborted" });
    expect(batches).toBe(1);
    const limited = await start("scan(res:t, id)", { batchRows: 10, limits: { rows: 25 } });
    await expect(limited.all()).rejects.toMatchObject({ code: "limit_exceeded" });
  });
});

describe("decimals with more digits than SQLite's numbers", () => {
  it.each([
    "scan(res:t, name, price) -> filter(price > 5 and price <= 5.1) -> sort(name)",
    "scan(res:t, name, price) -> sort(price desc) -> limit(3)",
    "scan(res:t, price) -> agg(sum(price) as s, min(price) as a, max(price) as b)",
    "scan(res:t, price) -> project(price + 1 as p) -> sort(p) -> limit(2)",
    "scan(res:t, price) -> distinct -> sort(price) -> limit(2)",
  ])("give the same rows as an in-memory source: %s", async (plan) => {
    const rows = await (await start(plan)).all();
    expect(rows.length).toBeGreaterThan(0);
    const stored = await (await start("scan(res:t)")).all();
    const connectors = { "ada://any/db/main": createMemoryConnector({ "res:t": stored }) };
    expect(rows).toEqual(await (await start(plan, { connectors })).all());
  });
});
