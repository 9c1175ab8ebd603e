import type { ResourceDetails } from "@ccl/catalog";
import { createFixedClock } from "@ccl/core/testing";
import type { PostgresClient, SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { PGlite } from "@electric-sql/pglite";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomSql } from "../__fixtures__/random-sql.ts";
import {
  leftColumns,
  randomRows,
  resourceOf,
  rightColumns,
  type RandomColumn,
  type RandomRow,
} from "../__fixtures__/random-source.ts";
import { PlanBuilder } from "../__fixtures__/random-valid-plan.ts";
import type { Connector, QueryEngine } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/index.ts";
import { executePlan } from "../execute/execute-plan.ts";
import { explainPlan } from "../explain/explain-plan.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { QueryError } from "../query-error.ts";
import { explainSql, executeSql } from "../select/run-sql.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import type { QueryAccess } from "./visible-resources.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const isLong = isAtLeast("faults");
const key = "ada://any/db/main";
const hiddenColumn: RandomColumn = { name: "zzq_level", kind: "int", declared: "integer" };
const tables = { l: [...leftColumns, hiddenColumn], r: [...rightColumns, hiddenColumn] };
const text = { l: "Größe'; drop table l; --", r: "rname" };
/** Occurs only in hidden names and forbidden rows. */
const mark = "zzq";

type Table = keyof typeof tables;
type Sees = (row: RandomRow) => boolean;
const level = (row: RandomRow): number => Number(row["zzq_level"] ?? Number.NaN);

/** Row rules, each with a function that decides the same. */
const rules: readonly (readonly [rule: string | undefined, sees: Sees])[] = [
  [undefined, () => true],
  ["zzq_level <= 1", (row) => level(row) <= 1],
  ["zzq_level in (1, 2, 3) and zzq_level > 1", (row) => [2, 3].includes(level(row))],
  ["not (zzq_level = 2)", (row) => row["zzq_level"] !== null && level(row) !== 2],
  ["zzq_level > 0 or zzq_level is null", (row) => !(level(row) <= 0)],
  ["zzq_level <", () => false],
  ["false", () => false],
];

interface Role {
  rules: Record<Table, (typeof rules)[number]>;
  hidden: string[];
  hidesRight: boolean;
}
const rule = fc.constantFrom(...rules);
const roles: fc.Arbitrary<Role> = fc.record({
  rules: fc.record({ l: rule, r: rule }),
  hidden: fc.subarray(["price", "big", "rate", "rday"]),
  hidesRight: fc.nat(5).map((number) => number === 0),
});

function seesColumn({ hidden, hidesRight }: Role, table: Table, name: string): boolean {
  return !name.includes(mark) && !hidden.includes(name) && !(hidesRight && table === "r");
}

function accessOf(role: Role): QueryAccess {
  return {
    canRead: ({ resource, column }) => {
      const table = resource.id === "res:l" ? "l" : "r";
      if (resource.id.includes(mark) || (role.hidesRight && table === "r")) return false;
      return column === undefined || seesColumn(role, table, column.name);
    },
    rowsOf: ({ resource }) => role.rules[resource.id === "res:l" ? "l" : "r"][0],
  };
}

const vault: ResourceDetails = {
  id: "res:zzq_vault",
  uri: `${key}/zzq_vault`,
  kind: "tabular",
  title: "zzq_vault",
  columns: [{ name: "id", type: "integer", pk: true }],
};

function detailsOf(
  sees: (table: Table, name: string) => boolean,
  isWhole: boolean,
): ResourceDetails[] {
  const some = (["l", "r"] as const).map((table): ResourceDetails => {
    const seen = tables[table].filter(({ name }) => sees(table, name));
    const details = resourceOf(table, seen);
    const columns = details.columns?.map((column) =>
      isWhole && column.name === "rk" ? { ...column, fk: "zzq_vault.id" } : column,
    );
    const anti = isWhole ? ["never read all rows without zzq_level"] : [];
    return { ...details, columns, usage: { anti_patterns: [...anti, "never by the price"] } };
  });
  return isWhole ? [...some, vault] : some;
}

/** A catalog, its rows and the caller. */
interface World {
  details: ResourceDetails[];
  access?: QueryAccess | undefined;
  rows: Record<Table, RandomRow[]>;
}

let engine: QueryEngine;
const databases: SqliteDatabase[] = [];
const servers: PGlite[] = [];
const url = process.env["CCL_POSTGRES_URL"];
const pools: pg.Pool[] = [];
const ddl = (table: Table, typeOf: (column: RandomColumn) => string): string =>
  `CREATE TABLE ${table} (${tables[table].map((column) => `${quoted(column.name)} ${typeOf(column)}`).join(", ")});`;
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const sqliteTypes: Partial<Record<RandomColumn["kind"], string>> = {
  int: "INTEGER",
  big: "INTEGER",
  decimal: "NUMERIC",
  float: "REAL",
  huge: "REAL",
  bool: "INTEGER",
};

beforeAll(async () => {
  engine = await openDuckDbEngine({ threads: 1 });
  for (let at = 0; at < 2; at++) {
    const database = await openSqlite({ path: ":memory:" });
    for (const table of ["l", "r"] as const)
      database.exec(ddl(table, ({ kind }) => sqliteTypes[kind] ?? "TEXT COLLATE NOCASE"));
    databases.push(database);
    if (!isLong) continue;
    const server = await PGlite.create();
    for (const table of ["l", "r"] as const)
      await server.exec(ddl(table, ({ declared }) => declared));
    servers.push(server);
    if (url === undefined) continue;
    const schema = `ccl_hidden_${at}`;
    const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}` });
    pools.push(pool);
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
    for (const table of ["l", "r"] as const)
      await pool.query(ddl(table, ({ declared }) => declared));
  }
});

afterAll(async () => {
  await engine.close();
  for (const database of databases) database.close();
  for (const server of servers) await server.close();
  for (const [at, pool] of pools.entries()) {
    await pool.query(`DROP SCHEMA ccl_hidden_${at} CASCADE`);
    await pool.end();
  }
});

type Way = (world: World, at: number) => Promise<Connector>;

async function onSqlite({ rows }: World, at: number): Promise<Connector> {
  const database = databases[at];
  if (database === undefined) throw new Error("There is no database.");
  for (const table of ["l", "r"] as const) {
    const columns = tables[table];
    database.exec(`DELETE FROM ${table}`);
    const insert = database.prepare(
      `INSERT INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`,
    );
    for (const row of rows[table])
      insert.run(
        ...columns.map(({ name }) => {
          const value = row[name] ?? null;
          return typeof value === "boolean" ? Number(value) : value;
        }),
      );
  }
  return sqlConnector(database);
}

const onPGlite: Way = (world, at) => onPostgres(world, servers[at]);
const onServer: Way = (world, at) => onPostgres(world, pools[at]);

async function onPostgres({ rows }: World, client: PostgresClient | undefined): Promise<Connector> {
  if (client === undefined) throw new Error("There is no server.");
  for (const table of ["l", "r"] as const) {
    await client.query(`DELETE FROM ${table}`);
    for (const row of rows[table]) {
      const values = tables[table]
        .map(({ name }) => row[name] ?? null)
        .map((value) => (value === null ? null : String(value)));
      await client.query(
        `INSERT INTO ${table} VALUES (${values.map((_, index) => `$${index + 1}`).join(", ")})`,
        values,
      );
    }
  }
  return sqlConnector(client);
}

const inMemory: Way = async ({ rows }) =>
  createMemoryConnector({ "res:l": rows.l, "res:r": rows.r });

const number = (value: unknown): unknown =>
  typeof value === "number"
    ? String(Number(value.toPrecision(9)) + 0)
    : typeof value === "bigint"
      ? String(value)
      : value;

/** The answer or error that a caller gets. */
async function answerOrError(ask: () => Promise<Record<string, unknown>[]>): Promise<unknown> {
  try {
    const rows = await ask();
    return rows.map((row) => JSON.stringify(Object.values(row).map(number))).toSorted();
  } catch (error) {
    if (!QueryError.isInstance(error)) throw error;
    return { code: error.code, message: error.message, details: error.details };
  }
}

async function explained(ask: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await ask());
  } catch (error) {
    return String(error);
  }
}

interface Asked {
  plan: LogicalPlan;
  text: string;
}

async function answersOf(
  world: World,
  connector: Connector,
  { plan, text }: Asked,
): Promise<{ same: unknown; explained: string[] }> {
  const { details, access } = world;
  const options = {
    details,
    access,
    engine,
    connectors: { [key]: connector },
    clock: createFixedClock(0),
  };
  return {
    same: [
      await answerOrError(async () => (await executePlan(plan, options)).all()),
      await answerOrError(async () => (await executeSql(text, options)).rows),
    ],
    explained: [
      await explained(() => explainPlan(plan, { details, access })),
      await explained(() => explainPlan(plan, options)),
      await explained(() => explainSql(text, options)),
    ],
  };
}

/**
 * Builds two worlds: one with all rows and names behind rules, and one that holds only what the
 * role may see.
 */
function worldsOf(
  gen: fc.GeneratorValue,
  role: Role,
  change: (access: QueryAccess) => QueryAccess,
): [World, World] {
  const rows = { l: randomRows(gen, tables.l), r: randomRows(gen, tables.r) };
  const seen: World["rows"] = { l: [], r: [] };
  for (const table of ["l", "r"] as const)
    for (const row of rows[table])
      if (role.rules[table][1](row)) seen[table].push(row);
      else row[text[table]] = `${mark} row`;
  const sees = (table: Table, name: string): boolean => seesColumn(role, table, name);
  const visible = detailsOf(sees, false).filter(({ id }) => !(role.hidesRight && id === "res:r"));
  const hidesPrice = role.hidden.includes("price");
  return [
    { rows, details: detailsOf(() => true, true), access: change(accessOf(role)) },
    {
      rows: seen,
      details: visible.map((resource) =>
        hidesPrice && resource.id === "res:l"
          ? { ...resource, usage: { anti_patterns: [] } }
          : resource,
      ),
    },
  ];
}

function indifference(
  ways: readonly Way[],
  change: (access: QueryAccess) => QueryAccess = (access) => access,
): fc.IAsyncProperty<[Role, string, fc.GeneratorValue]> {
  return fc.asyncProperty(roles, randomSql, fc.gen(), async (role, text, gen) => {
    const [whole, seen] = worldsOf(gen, role, change);
    const known = (table: Table): RandomColumn[] =>
      tables[table].filter(({ name }) => !name.includes(mark) && !role.hidden.includes(name));
    const asked = { text, plan: new PlanBuilder(gen, known("l"), known("r")).build() };
    for (const way of ways) {
      const answers = await answersOf(whole, await way(whole, 0), asked);
      const expected = await answersOf(seen, await way(seen, 1), asked);
      expect(answers.same).toEqual(expected.same);
      const leaks = [JSON.stringify(answers.same), ...answers.explained].filter((leak) =>
        leak.includes(mark),
      );
      // A caller that names a hidden column gets the name back in the error.
      expect(text.includes(mark) ? [] : leaks).toEqual([]);
    }
  });
}

describe("hidden tables, columns and rows", () => {
  it("change no answer, error or explanation of random plans and statements", async () => {
    const { numRuns = 200 } = fc.readConfigureGlobal();
    const ways: Way[] = [
      onSqlite,
      ...(isLong ? [inMemory, onPGlite] : []),
      ...(pools.length > 0 ? [onServer] : []),
    ];
    await fc.assert(indifference(ways), { numRuns: isLong ? numRuns / 4 : 8, endOnFailure: true });
  }, 3_600_000);

  it.each<[string, (access: QueryAccess) => QueryAccess]>([
    [
      "the rule of one table",
      (access) => ({
        ...access,
        rowsOf: (request) =>
          request.resource.id === "res:r" ? undefined : access.rowsOf?.(request),
      }),
    ],
    [
      "hidden columns",
      (access) => ({
        ...access,
        canRead: (request) => request.column !== undefined || access.canRead(request),
      }),
    ],
    [
      "hidden tables",
      (access) => ({
        ...access,
        canRead: (request) => request.resource.id === "res:zzq_vault" || access.canRead(request),
      }),
    ],
  ])(
    "are detected if access drops %s",
    async (_, change) => {
      await expect(
        fc.assert(indifference([inMemory], change), { numRuns: 400, endOnFailure: true }),
      ).rejects.toThrow(/Property failed/);
    },
    60_000,
  );
});
