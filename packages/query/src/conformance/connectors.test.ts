import type { PostgresClient } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Connector, QueryEngine, TableScan } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
import { expectations } from "../__fixtures__/expectations.ts";
import { executePlan } from "../execute/execute-plan.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { columnDataType } from "../plan/data-type.ts";
import type { ColumnBatch } from "../connector/column-batch.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { connectorConformance, sampleAddress, sampleResources } from "./index.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: PostgreSQL's connector is tried on PGlite only.");

let postgres: PGlite | pg.Pool | undefined;
let engine: QueryEngine;

beforeAll(async () => {
  engine = await openDuckDbEngine({ threads: 1 });
  if (!isAtLeast("ci")) return;
  if (url === undefined) postgres = await PGlite.create();
  else {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query("DROP SCHEMA IF EXISTS query_kit CASCADE; CREATE SCHEMA query_kit");
    await admin.end();
    postgres = new pg.Pool({ connectionString: url, options: "-c search_path=query_kit" });
  }
});
afterAll(async () => {
  await engine.close();
  if (postgres !== undefined) await ("end" in postgres ? postgres.end() : postgres.close());
});

const sqliteTypes: Record<string, string> = {
  int: "INTEGER",
  decimal: "NUMERIC",
  float: "REAL",
  bool: "BOOLEAN",
  text: "TEXT",
  date: "DATE",
  timestamp: "TEXT",
  timestamptz: "TEXT",
};

/** SQL statements that create the sample's tables. */
function statements(
  isEmpty: boolean,
  isSqlite: boolean,
): { sql: string; values: (string | number | bigint | null)[] }[] {
  return sampleResources.flatMap(({ table, details, rows }) => {
    const columns = details.columns ?? [];
    const kinds = columns.map(
      ({ name, type }) =>
        `"${name}" ${isSqlite ? sqliteTypes[columnDataType(type).kind] : type === "float" ? "double precision" : type}`,
    );
    const mark = columns.map((_, index) => (isSqlite ? "?" : `$${index + 1}`)).join(", ");
    const create = { sql: `CREATE TABLE ${table} (${kinds.join(", ")})`, values: [] };
    const inserts = isEmpty
      ? []
      : rows.map((row) => ({
          sql: `INSERT INTO ${table} VALUES (${mark})`,
          values: columns.map(({ name }) => plain(row[name], isSqlite)),
        }));
    return [{ sql: `DROP TABLE IF EXISTS ${table}`, values: [] }, create, ...inserts];
  });
}

function plain(value: unknown, isSqlite: boolean): string | number | bigint | null {
  if (typeof value === "boolean") return isSqlite ? Number(value) : String(value);
  return typeof value === "string" || typeof value === "number" ? value : null;
}

async function openSqliteSample(isEmpty: boolean): Promise<Connector> {
  const database = await openSqlite({ path: ":memory:" });
  for (const { sql, values } of statements(isEmpty, true)) database.prepare(sql).run(...values);
  return sqlConnector(database);
}

async function openPostgresSample(isEmpty: boolean): Promise<Connector> {
  const client: PostgresClient | undefined = postgres;
  if (client === undefined) throw new Error("PostgreSQL is not open");
  for (const { sql, values } of statements(isEmpty, false)) await client.query(sql, values);
  return sqlConnector(client);
}

const openMemory = async (isEmpty: boolean): Promise<Connector> =>
  createMemoryConnector(
    Object.fromEntries(
      sampleResources.map(({ details, rows }) => [details.id, isEmpty ? [] : rows]),
    ),
  );

const samples: [name: string, open: typeof openMemory][] = [
  ["SQLite", openSqliteSample],
  ["memory", openMemory],
];
if (isAtLeast("ci")) samples.push(["PostgreSQL", openPostgresSample]);
describe.each(samples)("the connector of %s", (_, open) => {
  it.each(connectorConformance({ open: ({ isEmpty }) => open(isEmpty) }))(
    "$name",
    async ({ run }) => expect(await run()).toBeUndefined(),
  );

  it.each(expectations)(
    "gives the rows that a plan means: $name",
    async ({ plan, rows, isEmpty = false }) => {
      const parsed = parseLogicalPlan(plan);
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
      const connectors = { [sampleAddress]: await open(isEmpty) };
      const details = sampleResources.map((sample) => sample.details);
      const result = await executePlan(parsed.value, { details, connectors, engine });
      const found = (await result.all()).map((row) => result.columns.map(({ name }) => row[name]));
      expect(found).toEqual(rows);
    },
  );
});

type Change = (connector: Connector) => Connector;

const scanning =
  (change: (scan: TableScan) => TableScan): Change =>
  (connector) => ({
    ...connector,
    run: (scan, options) => connector.run(change(scan), options),
  });

const giving =
  (change: (batch: ColumnBatch) => ColumnBatch): Change =>
  (connector) => ({
    ...connector,
    async *run(scan, options): AsyncGenerator<ColumnBatch, void> {
      for await (const batch of connector.run(scan, options)) yield change(batch);
    },
  });

describe("connectorConformance", () => {
  const faults: [fault: string, change: Change, rule: string][] = [
    [
      "compares loosely",
      scanning((scan) => ({
        ...scan,
        conditions: scan.conditions.map((condition) =>
          condition.operator === "le" ? { ...condition, operator: "lt" } : condition,
        ),
      })),
      "no row that meets the conditions is left out",
    ],
    [
      "ignores values of a list",
      scanning((scan) => ({
        ...scan,
        conditions: scan.conditions.map((condition) => ({
          ...condition,
          values: condition.operator === "in" ? [] : condition.values,
        })),
      })),
      "no row that meets the conditions is left out",
    ],
    [
      "returns columns in another order",
      scanning((scan) => ({
        ...scan,
        columns: scan.columns.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
      })),
      "only the columns asked for leave the source, in their order",
    ],
    [
      "loses nulls",
      giving(({ rowCount, columns }) => ({
        rowCount,
        columns: columns.map((values) => values.map((value) => value ?? 0)),
      })),
      "values come in the plan's own forms, nulls as nulls",
    ],
    [
      "loses the last row of a batch",
      giving(({ rowCount, columns }) => ({
        rowCount: rowCount - 1,
        columns: columns.map((values) => values.slice(0, -1)),
      })),
      "values come in the plan's own forms, nulls as nulls",
    ],
    [
      "ignores the batch size",
      (connector) => ({
        ...connector,
        run: (scan, options) => connector.run(scan, { ...options, batchRows: 100 }),
      }),
      "batches hold at most the rows asked for, and as many values a column as rows",
    ],
  ];
  it.each(faults)("detects a connector that %s", async (_, change, rule) => {
    const open = async ({ isEmpty }: { isEmpty: boolean }): Promise<Connector> =>
      change(await openSqliteSample(isEmpty));
    const rules = connectorConformance({ open });
    const found = rules.find(({ name }) => name === rule);
    await expect(found?.run()).rejects.toThrow(/deep|equal|Expected|rows|column/i);
  });
});
