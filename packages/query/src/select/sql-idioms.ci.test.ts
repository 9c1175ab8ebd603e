import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResourceDetails } from "@ccl/catalog";
import { openSqlite } from "@ccl/sql/node";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { PGlite } from "@electric-sql/pglite";
import type { SqliteDatabase } from "@ccl/sql";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  duckDbIdioms,
  idiomTables,
  postgresIdioms,
  sharedIdioms,
  sqliteIdioms,
} from "../__fixtures__/sql-idioms.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/open-duckdb-engine.ts";
import type { Connector, QueryEngine } from "../connector/connector.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { executeSql } from "./run-sql.ts";

const address = "ada://any/db/x:shop";
const details = idiomTables.map(({ name, columns }): ResourceDetails => ({
  id: `res:${name}`,
  uri: `${address}/${name}`,
  kind: "tabular",
  title: name,
  columns: columns.map(([column, type]) => ({ name: column, type })),
}));

let folder: string;
let sqlite: SqliteDatabase;
let postgres: PGlite;
let duckdb: DuckDBConnection;
let engine: QueryEngine;
let sources: Record<"sqlite" | "postgresql" | "memory", Connector>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-idioms-"));
  const script = idiomTables.map(({ name, columns, rows }) => {
    const values = rows.map((row) => `(${row.map(literal).join(", ")})`);
    return `CREATE TABLE ${name} (${columns.map((column) => column.join(" ")).join(", ")}); INSERT INTO ${name} VALUES ${values.join(", ")};`;
  });
  sqlite = await openSqlite({ path: join(folder, "shop.db"), durability: "off" });
  sqlite.exec(script.join("\n"));
  postgres = new PGlite();
  await postgres.exec(script.join("\n"));
  duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  await duckdb.run(script.join("\n"));
  engine = await openDuckDbEngine();
  const memory = idiomTables.map(({ name, columns, rows }) => {
    const cell = (value: string | number | null, index: number): string | number | null =>
      columns[index]?.[1] === "timestamp" ? String(value).replace(" ", "T") : value;
    const records = rows.map((row) =>
      Object.fromEntries(
        columns.map(([column], index) => [column, cell(row[index] ?? null, index)]),
      ),
    );
    return [`res:${name}`, records] as const;
  });
  sources = {
    sqlite: sqlConnector(sqlite),
    postgresql: sqlConnector(postgres),
    memory: createMemoryConnector(Object.fromEntries(memory)),
  };
}, 180_000);

afterAll(async () => {
  await engine.close();
  sqlite.close();
  await postgres.close();
  await rm(folder, { recursive: true, force: true });
});

function literal(value: string | number | null): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

type Own = "sqlite" | "postgresql" | "duckdb";

/** The database's own answer, without this package. */
async function ownAnswer(database: Own, text: string): Promise<unknown[][]> {
  if (database === "sqlite") {
    const rows: unknown[][] = [];
    if (sqlite.readApart === undefined) throw new Error("The file is read in place.");
    for await (const batch of sqlite.readApart(text, [], { batchRows: 1_000 })) rows.push(...batch);
    return rows;
  }
  if (database === "postgresql") {
    const { rows } = await postgres.query<unknown[]>(text, [], { rowMode: "array" });
    return rows;
  }
  return (await duckdb.runAndReadAll(text)).getRows();
}

/** Converts numbers, timestamps and booleans to one text form, whatever the driver returns. */
function plain(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date)
    return value
      .toISOString()
      .replace("T", " ")
      .replace(/\.000Z$/, "")
      .replace(/ 00:00:00$/, "");
  const text = String(value);
  if (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return Number(Number(text).toPrecision(12));
  return text
    .replace(/^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.0+)?Z?$/, "$1 $2")
    .replace(/ 00:00:00$/, "");
}

async function ours(connector: Connector, text: string, dialect?: Own): Promise<unknown[][]> {
  const connectors = { [address]: connector };
  const { columns, rows } = await executeSql(text, { details, connectors, engine, dialect });
  return rows.map((row) => columns.map(({ name }) => row[name]));
}

function same(rows: unknown[][], text: string): string[] {
  const lines = rows.map((row) => JSON.stringify(row.map(plain)));
  return / order by [^)]*$/i.test(text) ? lines : lines.toSorted();
}

const cases: [what: string, source: keyof typeof sources, own: Own, idioms: readonly string[]][] = [
  ["shared idioms on SQLite", "sqlite", "sqlite", sharedIdioms],
  ["shared idioms on PostgreSQL", "postgresql", "postgresql", sharedIdioms],
  ["shared idioms over files and APIs", "memory", "duckdb", sharedIdioms],
  ["PostgreSQL's idioms on PostgreSQL", "postgresql", "postgresql", postgresIdioms],
  ["PostgreSQL's idioms on SQLite", "sqlite", "postgresql", postgresIdioms],
  ["SQLite's idioms on SQLite", "sqlite", "sqlite", sqliteIdioms],
  ["SQLite's idioms on PostgreSQL", "postgresql", "sqlite", sqliteIdioms],
  ["DuckDB's idioms over files and APIs", "memory", "duckdb", duckDbIdioms],
  ["DuckDB's idioms on SQLite", "sqlite", "duckdb", duckDbIdioms],
];

it.each(cases)(
  "gives the database's own answer: %s",
  async (_, source, own, idioms) => {
    const differing: unknown[] = [];
    for (const text of idioms) {
      // Newer builds of SQLite no longer accept text in double quotes.
      const ownText = text.replaceAll('"paid"', "'paid'");
      const expected = await ownAnswer(own, ownText).catch(
        (error: unknown) => `own: ${String(error)}`,
      );
      const dialect = idioms === sqliteIdioms ? "sqlite" : undefined;
      const given = await ours(sources[source], text, dialect).catch((error: unknown) =>
        String(error),
      );
      if (typeof expected === "string" && typeof given === "string") continue;
      if (typeof expected === "string" || typeof given === "string") {
        differing.push({ text, expected, given });
        continue;
      }
      if (JSON.stringify(same(expected, text)) !== JSON.stringify(same(given, text)))
        differing.push({ text, expected: same(expected, text), given: same(given, text) });
    }
    expect(differing).toEqual([]);
  },
  120_000,
);

it.each(["using (id)", "natural"])(
  "names the columns of * as PostgreSQL orders them: %s",
  async (how) => {
    const join = how === "natural" ? "natural join" : "join";
    const condition = how === "natural" ? "" : how;
    const numbers = "(select id, quantity from orders) as o";
    const text = `select *, 7 as n from customers ${join} ${numbers} ${condition} order by id`;
    const { rows } = await postgres.query<Record<string, unknown>>(text);
    const connectors = { [address]: sources.postgresql };
    const given = await executeSql(text, { details, connectors, engine });
    const names = ["id", "name", "quantity", "n"];
    const shown = (row: Record<string, unknown>): unknown[] =>
      names.map((name) => plain(row[name]));
    expect(given.ranOn).toBe("PostgreSQL");
    expect(given.rows.map(shown)).toEqual(rows.map(shown));
  },
);
