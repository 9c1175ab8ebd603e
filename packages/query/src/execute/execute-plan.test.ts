import { createFixedClock } from "@ccl/core/testing";
import type { ResourceDetails } from "@ccl/catalog";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { Connector, QueryEngine, TableScan } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { QueryError } from "../query-error.ts";
import { executeSql } from "../select/run-sql.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { executePlan, type ExecutePlanOptions } from "./execute-plan.ts";
import type { QueryResult } from "./query-result.ts";

const orders: ResourceDetails = {
  id: "res:orders",
  uri: "ada://any/db/main/orders",
  kind: "tabular",
  title: "orders",
  columns: [
    { name: "id", type: "int", pk: true },
    { name: "city", type: "text" },
    { name: "amount", type: "numeric(12,2)" },
    { name: "email", type: "text", tags: ["pii"] },
  ],
};
const cities: ResourceDetails = {
  id: "res:cities",
  uri: "memory:cities",
  kind: "tabular",
  title: "cities",
  columns: [
    { name: "name", type: "text", pk: true },
    { name: "country", type: "text" },
  ],
};
const details = [orders, cities];

let database: SqliteDatabase;
let sent: TableScan[];
let engine: QueryEngine;

beforeEach(async () => {
  database = await openSqlite({ path: ":memory:" });
  database.exec(
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, city TEXT, amount NUMERIC, email TEXT)",
  );
  const insert = database.prepare("INSERT INTO orders VALUES (?, ?, ?, ?)");
  for (let id = 1; id <= 100; id++)
    insert.run(id, id % 3 === 0 ? "Ulm" : "Köln", id / 4, `person${id}@example.org`);
  sent = [];
});
beforeAll(async () => {
  engine = await openDuckDbEngine({ threads: 1 });
});
afterAll(() => engine.close());
afterEach(() => database.close());

function watched(connector: Connector): Connector {
  return {
    ...connector,
    run(scan, options) {
      sent.push(scan);
      return connector.run(scan, options);
    },
  };
}

function planOf(text: string): LogicalPlan {
  const plan = parseLogicalPlan(text);
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  return plan.value;
}

const memory = createMemoryConnector({
  "res:cities": [
    { name: "Ulm", country: "DE" },
    { name: "Wien", country: "AT" },
  ],
});

function run(text: string, options: Partial<ExecutePlanOptions> = {}): Promise<QueryResult> {
  const connectors = {
    "ada://any/db/main": watched(sqlConnector(database)),
    "memory:": watched(memory),
  };
  return executePlan(planOf(text), { details, connectors, engine, ...options });
}

async function errorOf(action: () => Promise<unknown>): Promise<QueryError> {
  const error: unknown = await action().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (QueryError.isInstance(error)) return error;
  throw new Error(`No QueryError: ${String(error)}`);
}

const byCity =
  "scan(res:orders) -> filter(amount > 10 and city <> 'Bonn') -> agg(city, sum(amount) as total) -> sort(total desc) -> limit(5)";

describe("executePlan", () => {
  it("requests only the needed columns and rows, and computes the rest in DuckDB", async () => {
    const result = await run(byCity);
    expect(await result.all()).toEqual([
      { city: "Köln", total: "705.00" },
      { city: "Ulm", total: "352.50" },
    ]);
    expect(sent.map(({ columns }) => columns.map(({ name }) => name))).toEqual([
      ["city", "amount"],
    ]);
    expect(sent[0]?.conditions).toMatchObject([
      { column: "amount", operator: "gt", values: ["10.00"] },
    ]);
    expect(result.statistics()).toMatchObject({
      rows: 2,
      engine: "DuckDB",
      sources: [{ connector: "SQLite", rows: 60 }],
    });
  });

  it("opens DuckDB itself if no engine is given", async () => {
    expect((await (await run(byCity, { engine: undefined })).all()).length).toBe(2);
  });

  it("needs no engine for a plan that only reads rows", async () => {
    const unused: QueryEngine = {
      name: "unused",
      runSql: () => Promise.reject(new Error("nothing to compute")),
      close: () => Promise.resolve(),
    };
    const plan =
      "scan(res:orders) -> filter(amount > 10 and id in (41, 42, 43, 50)) -> limit(3) -> project(id as number)";
    const result = await run(plan, { engine: unused });
    expect(await result.all()).toEqual([{ number: 41 }, { number: 42 }, { number: 43 }]);
    expect(result.statistics().engine).toBeUndefined();
  });

  it("gives each source its part of a condition, and reads only what a join across sources needs", async () => {
    const plan =
      "scan(res:orders) -> join(res:cities, city = name) -> filter(amount >= 24 and country = 'DE' and id <> length(country)) -> sort(id) -> project(id, country)";
    const result = await run(plan);
    expect(await result.all()).toEqual([
      { id: 96, country: "DE" },
      { id: 99, country: "DE" },
    ]);
    const { sources } = result.statistics();
    expect(sources.map(({ connector, rows }) => [connector, rows]).sort()).toEqual([
      ["SQLite", 5],
      ["memory", 1],
    ]);
    expect(sent.map(({ columns }) => columns.map(({ name }) => name)).sort()).toEqual([
      ["id", "city", "amount"],
      ["name", "country"],
    ]);
  });

  it("reads all rows for a step that has a second reader besides a filter", async () => {
    const steps = [
      { name: "o", op: "scan", resource: "res:orders", columns: ["id"] },
      { name: "few", op: "filter", from: "o", where: "id < 3" },
      { name: "all", op: "union", from: ["o", "few"] },
      { name: "n", op: "aggregate", from: "all", aggregates: ["count() as n"] },
    ];
    const plan = parseLogicalPlan({ version: 1, steps });
    if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
    const connectors = { "ada://any/db/main": watched(sqlConnector(database)) };
    const result = await executePlan(plan.value, { details, connectors, engine });
    expect(await result.all()).toEqual([{ n: 102 }]);
    expect(sent.map(({ conditions }) => conditions)).toEqual([[]]);
  });

  it("respects the catalog's pushdown settings", async () => {
    for (const cards of [{ pushdown: { filter: false } }, { cap: ["scan", "limit"] }]) {
      const result = await run(byCity, { details: [{ ...orders, ...cards }] });
      expect((await result.all())[0]).toEqual({ city: "Köln", total: "705.00" });
    }
    expect(sent.map(({ conditions }) => conditions)).toEqual([[], []]);
  });

  it("uses one now() for the whole plan", async () => {
    const plan =
      "scan(res:orders) -> filter(id = 1) -> project(now() as a, date_add(now(), -30, 'day') as b)";
    const result = await run(plan, {
      clock: createFixedClock(Date.parse("2026-03-01T12:00:00.250Z")),
    });
    expect(await result.all()).toEqual([
      { a: "2026-03-01T12:00:00.25Z", b: "2026-01-30T12:00:00.25Z" },
    ]);
  });

  it("never requests a hidden column from a source", async () => {
    const access = {
      canRead: ({ column }: { column?: { tags?: string[] | undefined } | undefined }): boolean =>
        column?.tags === undefined,
    };
    const rows = await (await run("scan(res:orders) -> limit(1)", { access })).all();
    expect(rows).toEqual([{ id: 1, city: "Köln", amount: "0.25" }]);
    expect(sent.flatMap(({ columns }) => columns.map(({ name }) => name))).not.toContain("email");
    expect(
      (
        await errorOf(() =>
          run("scan(res:orders) -> filter(email = 'x') -> project(id)", { access }),
        )
      ).code,
    ).toBe("plan_invalid");
    expect(
      (await errorOf(() => run("scan(res:orders) -> sort(email) -> project(id)", { access }))).code,
    ).toBe("plan_invalid");
  });

  it.each<[string, Partial<ExecutePlanOptions>, string]>([
    ["rows of the result", { limits: { rows: 10 } }, "rows"],
    ["bytes of the result", { limits: { bytes: 500 } }, "bytes"],
    ["rows of a source", { limits: { eachSource: { rows: 99 } } }, "rows"],
    ["bytes of a source", { limits: { eachSource: { bytes: 500 } } }, "bytes"],
    ["time of a source", { limits: { eachSource: { timeoutMs: 0 } } }, "timeoutMs"],
    ["total time", { limits: { timeoutMs: 0 } }, "timeoutMs"],
  ])("fails above the limit of %s", async (_, options, limit) => {
    const error = await errorOf(async () =>
      (await run("scan(res:orders)", { batchRows: 20, ...options })).all(),
    );
    expect([error.code, error.details]).toMatchObject(["limit_exceeded", { limit }]);
  });

  it("returns a result that is exactly at the limit", async () => {
    const rows = await (
      await run("scan(res:orders)", { limits: { rows: 100, eachSource: { rows: 100 } } })
    ).all();
    expect(rows.length).toBe(100);
  });

  it("names the steps of a source that fails midway", async () => {
    const dying: Connector = {
      name: "dying",
      async *run({ columns }): AsyncGenerator<ColumnBatch, void> {
        yield { rowCount: 1, columns: columns.map(() => ["x"]) };
        throw new Error("connection reset");
      },
    };
    const direct = await errorOf(async () =>
      (await run("scan(res:cities, name)", { connectors: { "memory:": dying } })).all(),
    );
    const through = await errorOf(async () =>
      (
        await run("scan(res:cities, name) -> distinct", {
          connectors: { "memory:": dying },
        })
      ).all(),
    );
    for (const error of [direct, through]) {
      expect([error.code, error.details, error.message]).toEqual([
        "source_failed",
        { steps: ["scan1"], connector: "dying" },
        'dying ("scan1") failed: connection reset',
      ]);
    }
  });

  it("names the column that does not match the catalog, without its value", async () => {
    database.exec("UPDATE orders SET id = id; UPDATE orders SET amount = 'secret' WHERE id = 7");
    const wrong = { ...orders, columns: [{ name: "city", type: "int" }] };
    const error = await errorOf(async () =>
      (await run("scan(res:orders)", { details: [wrong] })).all(),
    );
    expect(error.code).toBe("value_invalid");
    expect(error.message).not.toContain("Köln");
  });

  it.each<[string, ExecutePlanOptions["signal"], string]>([
    ["before it starts", AbortSignal.abort(), "aborted"],
  ])("can be aborted %s", async (_, signal, code) => {
    expect((await errorOf(() => run("scan(res:orders)", signal && { signal }))).code).toBe(code);
    expect(sent).toEqual([]);
  });

  it("can be aborted between two batches, after which the database serves other queries", async () => {
    const controller = new AbortController();
    const result = await run("scan(res:orders)", { signal: controller.signal, batchRows: 10 });
    let batches = 0;
    const error = await errorOf(async () => {
      for await (const batch of result.batches) {
        batches += batch.rowCount > 0 ? 1 : 0;
        controller.abort();
      }
    });
    expect([error.code, batches]).toEqual(["aborted", 1]);
    database.exec("DROP TABLE orders");
  });

  it("refuses a resource without a connector, and a closed engine", async () => {
    expect(
      (await errorOf(() => run("scan(res:orders)", { connectors: { "ada://any/db/mai": memory } })))
        .code,
    ).toBe("connector_missing");
    const closed = await openDuckDbEngine();
    await closed.close();
    await closed.close();
    const ask = async (): Promise<unknown> =>
      (await run("scan(res:cities) -> distinct", { engine: closed })).all();
    expect((await errorOf(ask)).code).toBe("closed");
  });
});

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: cancelling on a server is not tried.");

describe.each(url === undefined ? [] : ["PostgreSQL"])("a server of %s", () => {
  it("ends the statement of a query that is aborted or takes too long", async () => {
    const pool = new pg.Pool({ connectionString: url, max: 3 });
    await pool.query(
      "DROP TABLE IF EXISTS query_many; CREATE TABLE query_many AS SELECT 1 AS n FROM generate_series(1, 20000)",
    );
    const many: ResourceDetails = {
      id: "res:many",
      uri: "ada://any/db/server/query_many",
      kind: "tabular",
      title: "many",
      columns: [{ name: "n", type: "int" }],
    };
    const options = {
      details: [many],
      connectors: { "ada://any/db/server": sqlConnector(pool) },
    };
    const endless =
      "select sum(a.n + b.n + c.n) as s from query_many a join query_many b on a.n = b.n join query_many c on a.n = c.n";
    const active = async (): Promise<number> =>
      (
        await pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'ccl query%' AND state = 'active'",
        )
      ).rows.length;
    const controller = new AbortController();
    const reading = errorOf(() => executeSql(endless, { ...options, signal: controller.signal }));
    await expect.poll(active, { timeout: 20_000 }).toBe(1);
    controller.abort();
    expect((await reading).code).toBe("aborted");
    await expect.poll(active).toBe(0);
    const late = await errorOf(() =>
      executeSql(endless, { ...options, limits: { timeoutMs: 200 } }),
    );
    expect([late.code, late.details]).toMatchObject(["limit_exceeded", { limit: "timeoutMs" }]);
    await expect.poll(active).toBe(0);
    await pool.query("DROP TABLE query_many");
    await pool.end();
  });
});
