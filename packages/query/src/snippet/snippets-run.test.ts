import { readFileSync } from "node:fs";
import type { ResourceDetails } from "@ccl/catalog";
import { createPostgresSession, type PostgresClient, type SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PlanValue } from "../connector/column-batch.ts";
import type { QueryEngine } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import type { Connectors } from "../connector/find-connector.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
import { executePlan } from "../execute/execute-plan.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { irSnippetLinter } from "./ir-snippet-linter.ts";
import { planToSnippet } from "./plan-to-snippet.ts";

type Row = Record<string, PlanValue>;

const path = (name: string): URL =>
  new URL(`../../node_modules/vega-datasets/data/${name}`, import.meta.url);
const csv = (name: string): string[][] =>
  readFileSync(path(name), "utf8")
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split(","));
const day = (text: string): string => new Date(`${text} UTC`).toISOString().slice(0, 10);

const weatherRows = csv("seattle-weather.csv").map(
  ([date = "", rain = "", high = "", , , kind = ""]): Row => ({
    date: date.replaceAll("/", "-"),
    rain: Number(rain).toFixed(1),
    high: Number(high),
    "the kind": kind,
  }),
);
const stockRows = csv("stocks.csv").map(([symbol = "", date = "", price = ""]): Row => ({
  symbol,
  date: day(date),
  price: Number(price).toFixed(2),
}));

function tableOf(name: string, columns: Record<string, string>): ResourceDetails {
  return {
    id: `res:${name}`,
    uri: `ada://any/db/main/${name}`,
    kind: "tabular",
    title: name,
    columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
  };
}
const weather = tableOf("weather", {
  date: "date",
  rain: "numeric(5,1)",
  high: "float",
  "the kind": "text",
});
const stocks = tableOf("stocks", { symbol: "text", date: "date", price: "numeric(8,2)" });
const details = [weather, stocks];
const tables: [ResourceDetails, Row[]][] = [
  [weather, weatherRows],
  [stocks, stockRows],
];

const plans: [question: string, arrows: string][] = [
  [
    "rain by kind of day",
    `scan(res:weather, "the kind", rain, high)→agg("the kind", sum(rain) as rain, max(high) as high, count() as days)→sort(rain desc, "the kind")`,
  ],
  [
    "the wettest days of a month",
    "scan(res:weather, date, rain)→filter(extract('month', date) = 11 and rain > 20.5)→sort(rain desc, date)→limit(5)",
  ],
  [
    "prices by year",
    "scan(res:stocks, symbol, date, price)→filter(symbol in ('AAPL', 'IBM') and date >= date '2005-01-01')→agg(symbol, extract('year', date) as year, avg(price) as price, min(price) as least)→sort(symbol, year)",
  ],
  [
    "stocks on days that it rained",
    `scan(res:stocks, symbol, date, price)→semi_join(scan(res:weather, date, rain)→filter(rain > 0), date = date)→project(symbol, date, price * 2 as twice)→sort(date, symbol)→limit(20)`,
  ],
  [
    "days before now",
    "scan(res:stocks, symbol, date)→filter(days_between(date, date(now(), 'UTC')) > 3650)→agg(symbol, count() as n)→sort(symbol)",
  ],
  ["no rows", "scan(res:stocks, symbol, price)→filter(symbol = '''; drop table stocks; --')"],
];

let engine: QueryEngine;
let sqlite: SqliteDatabase;
let postgres: PGlite | pg.Client;

beforeAll(async () => {
  engine = await openDuckDbEngine({ threads: 1 });
  sqlite = await openSqlite({ path: ":memory:" });
  const url = process.env["CCL_POSTGRES_URL"];
  postgres = url === undefined ? await PGlite.create() : new pg.Client({ connectionString: url });
  if (postgres instanceof pg.Client) await postgres.connect();
  const session = createPostgresSession(postgres as PostgresClient);
  await session.exec(
    "DROP SCHEMA IF EXISTS snippet_tests CASCADE; CREATE SCHEMA snippet_tests; SET search_path = snippet_tests",
  );
  for (const [{ title, columns = [] }, rows] of tables) {
    const names = columns.map(
      ({ name, type = "" }) => `"${name}" ${type === "float" ? "double precision" : type}`,
    );
    const values = rows.map((row) =>
      columns.map(({ name }) => `'${String(row[name])}'`).join(", "),
    );
    const insert = `INSERT INTO ${title} VALUES ${values.map((value) => `(${value})`).join(", ")}`;
    for (const database of [session, sqlite]) {
      await database.exec(`CREATE TABLE ${title} (${names.join(", ")})`);
      await database.exec(insert);
    }
  }
});

afterAll(async () => {
  await engine.close();
  sqlite.close();
  await ("end" in postgres ? postgres.end() : postgres.close());
});

function planOf(text: string): LogicalPlan {
  const plan = parseLogicalPlan(text);
  if (!plan.ok) throw new Error(plan.issues.map(({ message }) => message).join("\n"));
  return plan.value;
}

async function executed(plan: LogicalPlan, connectors: Connectors): Promise<unknown[]> {
  return comparable(await (await executePlan(plan, { details, connectors, engine })).all());
}

/** People read 12.50 and 12.5 alike, and some clients give integers as bigints. */
function comparable(rows: readonly Record<string, unknown>[]): unknown[] {
  const plain = (value: unknown): unknown =>
    typeof value !== "boolean" &&
    value !== null &&
    String(value).trim() !== "" &&
    Number.isFinite(Number(value))
      ? Number(Number(value).toPrecision(12))
      : value;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
  );
}

const key = "ada://any/db/main";

describe.each(plans)("the snippets for %s", (_, arrows) => {
  const plan = planOf(arrows);

  it("hold against their cards, and mean the same in DuckDB", async () => {
    const { code } = planToSnippet(plan, "ir");
    const errors = irSnippetLinter(details)({ engine: "ir", code }, { resource: weather });
    expect(errors.filter(({ severity }) => severity !== "warning")).toEqual([]);
    const memory = {
      [key]: createMemoryConnector({ "res:weather": weatherRows, "res:stocks": stockRows }),
    };
    expect(await executed(planOf(code), memory)).toEqual(
      await executed(plan, { [key]: sqlConnector(sqlite) }),
    );
  });

  it("give on SQLite what the plan gives", async () => {
    const rows = sqlite.prepare(planToSnippet(plan, "sqlite", { details }).code).all();
    expect(comparable(rows)).toEqual(await executed(plan, { [key]: sqlConnector(sqlite) }));
  });

  it("give on PostgreSQL what the plan gives", async () => {
    const { code } = planToSnippet(plan, "postgresql", { details });
    const rows = await createPostgresSession(postgres as PostgresClient).query(code);
    expect(comparable(rows)).toEqual(await executed(plan, { [key]: sqlConnector(postgres) }));
  });
});

describe("planToSnippet", () => {
  it.each<[string, "sqlite" | "postgresql", string]>([
    ["a case of Unicode", "sqlite", "scan(res:stocks, symbol)→project(lower(symbol) as s)"],
    ["a case of Unicode", "postgresql", "scan(res:stocks, symbol)→filter(upper(symbol) = 'IBM')"],
    ["a week", "sqlite", "scan(res:stocks, date)→project(date_trunc('week', date) as week)"],
  ])("refuses %s, which %s does not compute as meant", (_, database, arrows) => {
    expect(() => planToSnippet(planOf(arrows), database, { details })).toThrow(
      expect.objectContaining({ code: "invalid_options" }),
    );
    expect(planToSnippet(planOf(arrows), "ir").code).toBe(arrows);
  });
});
