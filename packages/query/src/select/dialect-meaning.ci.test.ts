import type { ResourceDetails } from "@ccl/catalog";
import { mapConcurrent } from "@ccl/core/async";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { PGlite } from "@electric-sql/pglite";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";
import { randomDialectSql } from "../__fixtures__/random-dialect-sql.ts";
import type { QueryEngine } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/open-duckdb-engine.ts";
import { QueryError } from "../query-error.ts";
import { executeSql } from "./run-sql.ts";

type Dialect = "postgresql" | "sqlite";

const columns: Record<Dialect, Record<string, string>> = {
  postgresql: {
    id: "integer",
    a: "integer",
    b: "integer",
    x: "double precision",
    y: "double precision",
    n: "numeric(10,2)",
    g: "bigint",
    s: "text",
    t: "text",
    d: "date",
    ts: "timestamp",
    b1: "boolean",
  },
  sqlite: {
    id: "integer",
    a: "integer",
    b: "integer",
    x: "real",
    y: "real",
    s: "text",
    t: "text",
    d: "text",
    ts: "text",
  },
};

const values: Record<string, fc.Arbitrary<number | string | boolean | null>> = {
  a: fc.constantFrom(null, 0, 1, -1, 2, 3, -7, 12, 100),
  b: fc.constantFrom(null, 0, 1, 5, -2, 3, 250),
  x: fc.constantFrom(null, 0, 0.5, 1.5, -2.5, 2.5, 3.25, 1e10, -0.125, 7, 2.675, 1.005),
  y: fc.constantFrom(null, 0.1, -1.5, 2, 1e-3, 123456.789, 4.5, 0.375, -8.345),
  n: fc.constantFrom(null, "0.00", "1.50", "-2.25", "10.05", "99.99", "2.50", "-0.50"),
  g: fc.constantFrom(null, 0, 1, -3, 5, 10, 11, 1_000_000),
  s: fc.constantFrom(
    null,
    "",
    "a",
    "B",
    "ab",
    "Abc",
    " a b ",
    "a_b",
    "10",
    "ä",
    "Ä",
    "50%",
    "aXbXc",
    "7",
    "07",
  ),
  t: fc.constantFrom(null, "", "a", "b", "A", "ba", "x%", "Zed", "3.5", "ß€", "b\\_c", "12abc"),
  d: fc.constantFrom(null, "2024-01-31", "2024-02-29", "2023-12-31", "2021-03-01", "1999-07-15"),
  ts: fc.constantFrom(
    null,
    "2024-01-31 23:30:00",
    "2024-02-29 00:00:00",
    "2022-06-15 12:45:10",
    "1999-12-31 23:59:59",
  ),
  b1: fc.constantFrom(null, true, false),
};

type Row = Record<string, number | string | boolean | null>;

const details = (dialect: Dialect): ResourceDetails[] => [
  {
    id: "res:q",
    uri: "ada://any/db/x:shop/q",
    kind: "tabular",
    title: "q",
    columns: Object.entries(columns[dialect]).map(([name, type]) => ({
      name,
      type: type === "real" ? "double" : type,
    })),
  },
];

let engine: QueryEngine;
let sqlite: SqliteDatabase;
let postgres: PGlite;

beforeAll(async () => {
  engine = await openDuckDbEngine();
  sqlite = await openSqlite({ path: ":memory:" });
  postgres = new PGlite({ parsers: { 1700: Number, 1082: String, 1114: String, 20: Number } });
  await postgres.exec("set timezone to 'UTC'");
}, 180_000);

afterAll(async () => {
  await engine.close();
  sqlite.close();
  await postgres.close();
});

async function fill(dialect: Dialect, rows: readonly Row[]): Promise<void> {
  const literal = (value: Row[string]): string =>
    typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
  const collate = dialect === "postgresql" ? " collate pg_c_utf8" : "";
  const names = Object.entries(columns[dialect]).map(
    ([name, type]) => `${name} ${type}${type === "text" ? collate : ""}`,
  );
  const lists = rows.map(
    (row) =>
      `(${Object.keys(columns[dialect])
        .map((name) => literal(row[name] ?? null))
        .join(", ")})`,
  );
  const script = `drop table if exists q; create table q (${names.join(", ")}); insert into q values ${lists.join(", ")};`;
  if (dialect === "sqlite") sqlite.exec(script);
  else await postgres.exec(script);
}

async function ownRows(dialect: Dialect, text: string): Promise<unknown[][]> {
  if (dialect === "sqlite")
    return sqlite
      .prepare(text)
      .all()
      .map((row) => Object.values(row));
  return (await postgres.query<unknown[]>(text, [], { rowMode: "array" })).rows;
}

async function ourRows(
  meant: Dialect | "duckdb",
  dialect: Dialect,
  text: string,
  rows: readonly Row[],
): Promise<unknown[][]> {
  const records = rows.map((row) =>
    Object.fromEntries(Object.keys(columns[dialect]).map((name) => [name, row[name] ?? null])),
  );
  // Set to false because only rows are compared, so that doubts read nothing again.
  const source = { ...createMemoryConnector({ "res:q": records }), isLocal: false };
  const connectors = { "ada://any/db/x:shop": source };
  const result = await executeSql(text, {
    details: details(dialect),
    connectors,
    engine,
    dialect: meant,
  });
  return result.rows.map((row) =>
    result.columns.map(({ name, type }) =>
      type === "decimal" && row[name] !== null ? Number(row[name]) : row[name],
    ),
  );
}

function plain(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number(value.toPrecision(10)) + 0;
  if (typeof value !== "string") return value;
  // A C library rounds the last digits of a float as text, and versions of SQLite write 15 or 17 of them.
  const shown = value.replace(/\d*\.\d+/g, (digits) =>
    digits.length > 12 ? String(plain(Number(digits))) : digits,
  );
  return shown.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.0+)?$/, "$1 $2");
}

interface Tally {
  same: number;
  refused: Record<string, string>[];
  different: Record<string, unknown>[];
}

async function compared(
  dialect: Dialect,
  queries: number,
  meant: Dialect | "duckdb",
): Promise<Tally> {
  const tally: Tally = { same: 0, refused: [], different: [] };
  // SQL does not say whether a database computes values that no row of the result needs.
  const failsOverAllRows = async (text: string): Promise<boolean> => {
    const wider = [
      text.replace(/ limit .*$/, ""),
      text.replace(/ from q where .*$/, " from q"),
      text.replace(/^with c as \((.*)\) select c\.id.*$/, "$1"),
    ];
    for (const each of wider) {
      if (each === text) continue;
      const error: unknown = await ourRows(meant, dialect, each, rows).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (QueryError.isInstance(error) && error.code === "engine_failed") return true;
    }
    return false;
  };
  const row = fc.record(Object.fromEntries(Object.entries(values)));
  const statements = fc.sample(randomDialectSql(dialect), { numRuns: queries, seed: 11 });
  const compare = async (text: string): Promise<void> => {
    const [own, ours] = await Promise.all(
      [ownRows(dialect, text), ourRows(meant, dialect, text, rows)].map((asked) =>
        asked.then(
          (found) => JSON.stringify(found.map((each) => each.map(plain))),
          (error: unknown) => `! ${String(error)}`,
        ),
      ),
    );
    if (own === ours || (own?.startsWith("!") === true && ours?.startsWith("!") === true))
      tally.same += 1;
    else if (ours?.startsWith("!") === true) tally.refused.push({ text, ours });
    else if (own?.startsWith("!") === true && (await failsOverAllRows(text))) tally.same += 1;
    else tally.different.push({ text, own, ours });
  };
  let rows: Row[] = [];
  for (let at = 0; at < statements.length; at += 100) {
    rows = fc.sample(row, { numRuns: 12, seed: at }).map((each, id) => ({ id, ...each }));
    await fill(dialect, rows);
    await mapConcurrent(statements.slice(at, at + 100), 8, compare);
  }
  return tally;
}

const queries = byLength({ test: 30, ci: 100, faults: 5_000 });

it.each(["postgresql", "sqlite"] as const)(
  "gives in DuckDB what %s gives, or is refused",
  async (dialect) => {
    const { different, refused } = await compared(dialect, queries, dialect);
    expect(different).toEqual([]);
    expect(refused.length).toBeLessThan(queries * 0.4);
  },
  3_600_000,
);

it("rounds a float to declared digits from the 15 digits that PostgreSQL shows", async () => {
  const rows = [{ id: 0, a: 1, b: 3, x: 1.005, y: 0, s: "", d: null, ts: null }];
  const text = "select cast(x * b as numeric(12, 2)) as v, (x * b)::decimal(9, 2) as w from q";
  expect(await ourRows("postgresql", "postgresql", text, rows)).toEqual([[3.02, 3.02]]);
  expect(await ourRows("duckdb", "postgresql", text, rows)).toEqual([[3.01, 3.01]]);
});

it("gives other results if a statement is run as DuckDB's own", async () => {
  expect((await compared("postgresql", 50, "duckdb")).different).not.toEqual([]);
}, 60_000);

it.each([
  ["(b | a) = '3'", "compared with a number"],
  ["(a > b) = 'true'", "compared with a condition"],
  ["(a is null) = '0'", "compared with a condition"],
  ["(not a in (1, 2)) = '0'", "compared with a condition"],
  ["exp(1000) * x = 0", "infinite"],
])("refuses %s, which SQLite reads differently", async (condition, reason) => {
  const rows = [{ id: 0, a: 1, b: 2, x: 0, y: 0, s: "", d: null, ts: null }];
  const asked = ourRows("sqlite", "sqlite", `select id from q where ${condition}`, rows);
  await expect(asked).rejects.toThrow(reason);
  expect(await ourRows("sqlite", "sqlite", "select id from q where (a > b) = 0", rows)).toEqual([
    [0],
  ]);
});
