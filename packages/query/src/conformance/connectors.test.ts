import type { PostgresClient } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Connector, PlanFragment, QueryEngine } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
import { columnDataType } from "../plan/data-type.ts";
import type { TypedStep } from "../plan/typed-plan.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { connectorConformance, sampleResources } from "./index.ts";
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

/** Tables of the sample, by statements with parameters of the database. */
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

const lazyEngine: QueryEngine = {
  name: "DuckDB",
  run: (work, options) => engine.run(work, options),
  runSql: (work, options) => engine.runSql(work, options),
  close: () => engine.close(),
};

const samples: [name: string, open: typeof openMemory][] = [
  ["SQLite", openSqliteSample],
  ["memory", openMemory],
];
if (isAtLeast("ci")) samples.push(["PostgreSQL", openPostgresSample]);
describe.each(samples)("the connector of %s", (_, open) => {
  it.each(connectorConformance({ open: ({ isEmpty }) => open(isEmpty), engine: lazyEngine }))(
    "$name",
    async ({ run }) => expect(await run()).toBeUndefined(),
  );
});

/** A connector that runs something else than it was asked for. */
function broken(
  change: (step: TypedStep) => TypedStep,
): (options: { isEmpty: boolean }) => Promise<Connector> {
  return async ({ isEmpty }) => {
    const connector = await openSqliteSample(isEmpty);
    return {
      ...connector,
      run: (fragment: PlanFragment, options) =>
        connector.run({ ...fragment, steps: fragment.steps.map(change) }, options),
    };
  };
}

describe("connectorConformance", () => {
  const faults: [fault: string, change: (step: TypedStep) => TypedStep, rule: string][] = [
    [
      "sorts nulls first",
      (step) =>
        step.op === "sort"
          ? { ...step, by: step.by.map((key) => ({ ...key, nulls: "first" as const })) }
          : step,
      "nulls sort last, whatever the direction",
    ],
    [
      "forgets offsets",
      (step) => (step.op === "limit" ? { ...step, offset: 0 } : step),
      "a limit takes the first rows of the order, and project keeps it",
    ],
    [
      "joins left as inner",
      (step) => (step.op === "join" && step.kind === "left" ? { ...step, kind: "inner" } : step),
      "a left join keeps every left row",
    ],
    [
      "takes anti for semi",
      (step) => (step.op === "join" && step.kind === "anti" ? { ...step, kind: "semi" } : step),
      "an anti join keeps rows without a partner, null keys too",
    ],
    [
      "counts rows for values",
      (step) =>
        step.op === "aggregate"
          ? {
              ...step,
              aggregates: step.aggregates.map((one) =>
                one.function === "count"
                  ? { function: "count", type: one.type, isNullable: false }
                  : one,
              ),
            }
          : step,
      "nulls are one group, and aggregates leave them out",
    ],
    [
      "drops filters",
      (step) =>
        step.op === "filter"
          ? {
              ...step,
              where: { op: "literal", value: true, type: { kind: "bool" }, isNullable: false },
            }
          : step,
      "a condition that is null keeps no row",
    ],
  ];
  it.each(faults)("finds a connector that %s", async (_, change, rule) => {
    const rules = connectorConformance({ open: broken(change), engine: lazyEngine });
    const found = rules.find(({ name }) => name === `${rule}, pushdown full`);
    await expect(found?.run()).rejects.toThrow(/deep|equal|Expected/i);
  });
});
