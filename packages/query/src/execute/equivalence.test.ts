import type { ResourceDetails } from "@ccl/catalog";
import type { PostgresClient, SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { createFixedClock } from "@ccl/core/testing";
import { PGlite } from "@electric-sql/pglite";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { naiveSql } from "../__fixtures__/naive-sql.ts";
import {
  leftColumns,
  randomRows,
  resourceOf,
  rightColumns,
  type RandomColumn,
  type RandomRow,
} from "../__fixtures__/random-source.ts";
import { PlanBuilder } from "../__fixtures__/random-valid-plan.ts";
import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import type { Connector, QueryEngine } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import type { Connectors } from "../connector/find-connector.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { executePlan } from "./execute-plan.ts";
import { byLength, isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: PostgreSQL's part is tried on PGlite only.");

const nowMs = Date.parse("2026-03-01T12:00:00Z");
const details = [resourceOf("l", leftColumns), resourceOf("r", rightColumns)];
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const runs = Math.floor(
  (fc.readConfigureGlobal().numRuns ?? 200) / byLength({ test: 10, faults: 5 }),
);

let engine: QueryEngine;
let reference: { instance: DuckDBInstance; connection: DuckDBConnection };
let sqlite: SqliteDatabase;
/** Set from test length `ci` on. */
let postgres: (PostgresClient & (PGlite | pg.Client)) | undefined;

beforeAll(async () => {
  engine = await openDuckDbEngine({ threads: 1 });
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  reference = { instance, connection: await instance.connect() };
  sqlite = await openSqlite({ path: ":memory:" });
  if (isAtLeast("ci")) postgres = await openPostgres();

  for (const [table, columns] of [
    ["l", leftColumns],
    ["r", rightColumns],
  ] as const) {
    const ddl = (typeOf: (column: RandomColumn) => string): string =>
      `CREATE TABLE ${table} (${columns.map((column) => `${quoted(column.name)} ${typeOf(column)}`).join(", ")})`;
    sqlite.exec(
      ddl(
        ({ kind }) =>
          ({
            int: "INTEGER",
            big: "INTEGER",
            decimal: "NUMERIC",
            float: "REAL",
            huge: "REAL",
            bool: "INTEGER",
          })[String(kind)] ?? "TEXT COLLATE NOCASE",
      ),
    );
    await postgres?.query(ddl(({ declared }) => declared));
    await reference.connection.run(
      ddl(({ kind, declared }) =>
        kind === "timestamptz" ? "timestamp" : kind === "int" ? "bigint" : declared,
      ),
    );
  }
});

afterAll(async () => {
  await engine.close();
  reference.connection.closeSync();
  reference.instance.closeSync();
  sqlite.close();
  if (postgres !== undefined) await ("end" in postgres ? postgres.end() : postgres.close());
});

async function openPostgres(): Promise<PGlite | pg.Client> {
  if (url === undefined) return PGlite.create();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "DROP SCHEMA IF EXISTS query_tests CASCADE; CREATE SCHEMA query_tests; SET search_path = query_tests; SET TimeZone = 'Asia/Tokyo'",
  );
  return client;
}

async function fill(
  table: string,
  columns: readonly RandomColumn[],
  rows: readonly RandomRow[],
): Promise<void> {
  const names = columns.map(({ name }) => quoted(name)).join(", ");
  sqlite.exec(`DELETE FROM ${table}`);
  const insert = sqlite.prepare(
    `INSERT INTO ${table} (${names}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  for (const row of rows) insert.run(...columns.map(({ name }) => sqliteForm(row[name] ?? null)));
  const literals = (isDuckDb: boolean): string =>
    rows
      .map(
        (row) =>
          `(${columns.map((column) => literal(column, row[column.name] ?? null, isDuckDb)).join(", ")})`,
      )
      .join(", ");
  await postgres?.query(`DELETE FROM ${table}`);
  await reference.connection.run(`DELETE FROM ${table}`);
  if (rows.length === 0) return;
  await postgres?.query(`INSERT INTO ${table} (${names}) VALUES ${literals(false)}`);
  await reference.connection.run(`INSERT INTO ${table} (${names}) VALUES ${literals(true)}`);
}

const sqliteForm = (value: PlanValue): null | number | bigint | string =>
  typeof value === "boolean" ? Number(value) : value;

function literal({ kind }: RandomColumn, value: PlanValue, isDuckDb: boolean): string {
  if (value === null) return "NULL";
  if (kind === "huge") return `'${value}'::float8`;
  if (!["text", "date", "timestamp", "timestamptz"].includes(kind)) return String(value);
  const text = kind === "timestamptz" && isDuckDb ? String(value).replace("Z", "") : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

/** Rounds floats to 9 digits and leaves everything else unchanged. */
function comparable(
  rows: readonly Record<string, unknown>[],
  columns: readonly PlanColumn[],
): string[] {
  return rows.map((row) =>
    JSON.stringify(columns.map(({ name, type }) => comparableValue(row[name], type.kind))),
  );
}

function comparableValue(value: unknown, kind: string): unknown {
  if (value === null || value === undefined) return null;
  const text = String(value);
  if (kind === "float")
    return String(Number(Number(text.replace(/inf$/, "Infinity")).toPrecision(9)) + 0);
  if (kind === "decimal")
    return text
      .replace(/(\..*?)0+$/, "$1")
      .replace(/\.$/, "")
      .replace(/^-0$/, "0");
  if (kind === "timestamp" || kind === "timestamptz")
    return text
      .replace(" ", "T")
      .replace("Z", "")
      .replace(/\.?0+$/, (zeros) => (zeros.startsWith(".") || text.includes(".") ? "" : zeros));
  return text;
}

async function rowsOf(
  plan: LogicalPlan,
  connectors: Connectors,
  cards: readonly ResourceDetails[],
): Promise<string[]> {
  const result = await executePlan(plan, {
    details: cards,
    connectors,
    engine,
    clock: createFixedClock(nowMs),
  });
  return comparable(await result.all(), result.columns);
}

async function referenceRows(plan: LogicalPlan, columns: readonly PlanColumn[]): Promise<string[]> {
  const tables = { "res:l": "l", "res:r": "r" };
  const reader = await reference.connection.runAndReadAll(
    naiveSql(plan, tables, "timestamp '2026-03-01 12:00:00'"),
  );
  return comparable(reader.getRowObjectsJson(), columns);
}

const key = "ada://any/db/main";

type Way = [name: string, connectors: Connectors, cards: readonly ResourceDetails[]];
/** Resources whose sources must return all rows. */
const scanned = details.map((resource) => ({ ...resource, pushdown: { filter: false } }));

/** Random rows and plans. Every way to run a plan must give the rows of the naive query. */
function agreement(
  waysOf: (memory: Connector) => Way[],
  plans: number,
): fc.IAsyncProperty<[fc.GeneratorValue]> {
  return fc.asyncProperty(fc.gen(), async (gen) => {
    const left = randomRows(gen, leftColumns);
    const right = randomRows(gen, rightColumns);
    await fill("l", leftColumns, left);
    await fill("r", rightColumns, right);
    const memory = createMemoryConnector({ "res:l": left, "res:r": right });
    for (let at = 0; at < plans; at++) {
      const plan = new PlanBuilder(gen).build();
      const { columns, close } = await executePlan(plan, {
        details,
        connectors: { [key]: memory },
        engine,
      });
      await close();
      const expected = await referenceRows(plan, columns);
      for (const [name, connectors, cards] of waysOf(memory)) {
        const rows = await rowsOf(plan, connectors, cards).catch((error: unknown) => {
          throw new Error(`${name}: ${String(error)}\n${JSON.stringify(plan)}`, {
            cause: error,
          });
        });
        expect(rows, `${name}\n${JSON.stringify(plan)}`).toEqual(expected);
      }
    }
  });
}

/** A faulty connector. If it gets conditions, it drops one row too many of each batch. */
function careless(connector: Connector): Connector {
  return {
    ...connector,
    async *run(scan, options): AsyncGenerator<ColumnBatch, void> {
      for await (const batch of connector.run(scan, options)) {
        const rowCount = batch.rowCount - Math.min(scan.conditions.length, 1);
        yield { rowCount, columns: batch.columns.map((values) => values.slice(0, rowCount)) };
      }
    },
  };
}

function postgresWays(): Way[] {
  if (postgres === undefined) return [];
  const connector = sqlConnector(postgres);
  return [
    ["PostgreSQL", { [key]: connector }, details],
    ["PostgreSQL, all rows", { [key]: connector }, scanned],
    ["both databases", { [`${key}/l`]: sqlConnector(sqlite), [`${key}/r`]: connector }, details],
  ];
}

describe("executePlan", () => {
  it("gives the rows of a naive query, whichever rows sources filter out, and across sources", async () => {
    const ways = (memory: Connector): Way[] => [
      ["memory", { [key]: memory }, details],
      ["memory, all rows", { [key]: memory }, scanned],
      ["SQLite", { [key]: sqlConnector(sqlite) }, details],
      ["SQLite, all rows", { [key]: sqlConnector(sqlite) }, scanned],
      ["both", { [`${key}/l`]: sqlConnector(sqlite), [`${key}/r`]: memory }, details],
      ...postgresWays(),
    ];
    await fc.assert(agreement(ways, 3), { numRuns: runs, endOnFailure: true });
  }, 3_600_000);

  it("gives other rows than the naive query if a source drops one row too many", async () => {
    const ways = (): Way[] => [["careless", { [key]: careless(sqlConnector(sqlite)) }, details]];
    await expect(
      fc.assert(agreement(ways, 3), { numRuns: 200, endOnFailure: true }),
    ).rejects.toThrow(/Property failed/);
  });
});
