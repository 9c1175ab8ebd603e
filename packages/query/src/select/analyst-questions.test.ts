import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { musicQuestions } from "../__fixtures__/music-questions.ts";
import { tradeQuestions } from "../__fixtures__/trade-questions.ts";
import { twoShops } from "../__fixtures__/two-shops.ts";
import type { Connector } from "../connector/connector.ts";
import { fileConnector } from "../file/file-connector.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { executeSql } from "./run-sql.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const questions = [...musicQuestions, ...tradeQuestions];
const tables = twoShops(2_026);
const url = process.env["CCL_POSTGRES_URL"];
const schema = "ccl_two_shops";
const address = "ada://any/x/shops";
type Ask = (text: string) => Promise<unknown[][]>;

let folder: string;
let sqlite: SqliteDatabase;
let duckdb: DuckDBConnection;
let pglite: PGlite | undefined;
let pool: pg.Pool | undefined;
const connectors: Record<string, Connector> = {};
const own: Record<string, Ask> = {};

// Runs on the server of CCL_POSTGRES_URL if set, else on PGlite.
describe.runIf(isAtLeast("faults"))("25 analyst questions", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ccl-analyst-"));
    for (const { name, columns, rows } of tables) {
      const records = rows.map((row) =>
        Object.fromEntries(columns.map(([column], at) => [column, row[at]])),
      );
      await writeFile(join(folder, `${name}.json`), JSON.stringify(records));
      const lines = [columns.map(([column]) => column), ...rows].map((row) =>
        row.map((cell) => (cell === null ? "" : `"${String(cell).replaceAll('"', '""')}"`)).join(),
      );
      await writeFile(join(folder, `${name}.csv`), `${lines.join("\n")}\n`);
    }
    sqlite = await openSqlite({ path: join(folder, "shops.db"), durability: "off" });
    sqlite.exec(script);
    duckdb = await (await DuckDBInstance.create(":memory:")).connect();
    await duckdb.run(script);
    const postgres = await openPostgres();
    Object.assign(connectors, {
      SQLite: sqlConnector(sqlite),
      PostgreSQL: sqlConnector(postgres),
      CSV: fileConnector({ folder }),
      JSON: fileConnector({ folder }),
    });
    const ofDuckDb: Ask = async (text) => (await duckdb.runAndReadAll(text)).getRowsJson();
    const ofPostgres: Ask = async (text) =>
      pool === undefined
        ? await postgresRows(text)
        : (await pool.query<unknown[]>({ text, rowMode: "array" })).rows;
    const ofSqlite: Ask = async (text) => {
      const rows: unknown[][] = [];
      if (sqlite.readApart === undefined) throw new Error("The file is read in place.");
      for await (const batch of sqlite.readApart(text, [], { batchRows: 1_000 }))
        rows.push(...batch);
      return rows;
    };
    Object.assign(own, { SQLite: ofSqlite, PostgreSQL: ofPostgres, CSV: ofDuckDb, JSON: ofDuckDb });
  }, 180_000);

  afterAll(async () => {
    sqlite.close();
    await pglite?.close();
    await pool?.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool?.end();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(["SQLite", "PostgreSQL", "CSV", "JSON"])(
    "get the database's own answer: %s",
    async (source) => {
      const refused: string[] = [];
      const wrong: string[] = [];
      const unnoticed: string[] = [];
      let judgedElsewhere = 0;
      for (const { question, sql, condition } of questions) {
        // SQLite does not understand all of it. PostgreSQL, in whose dialect it is written, then
        // gives the expected rows.
        const expected = await ask(own[source], sql).catch(() => {
          judgedElsewhere += 1;
          return ask(own["PostgreSQL"], sql);
        });
        if (expected.length === 0) throw new Error(`No rows: ${question}`);
        const given = await ours(source, sql).catch((error: unknown) => String(error));
        if (typeof given === "string") {
          refused.push(`${question} ${given}`);
          continue;
        }
        const found = difference(expected, given);
        if (found !== undefined) wrong.push(`${question} ${found}`);
        // The control: a statement that lacks one of its conditions must give another answer.
        if (!sql.includes(condition)) throw new Error(`No such condition: ${condition}`);
        const other = await ours(source, sql.replace(condition, ""));
        if (difference(expected, other) === undefined) unnoticed.push(question);
      }
      console.log(
        `${source}: ${questions.length - refused.length} of ${questions.length} accepted, ${wrong.length} wrong; ${judgedElsewhere} judged by PostgreSQL`,
      );
      expect({ refused, wrong, unnoticed }).toEqual({ refused: [], wrong: [], unnoticed: [] });
    },
    300_000,
  );
});

const script = tables
  .map(({ name, columns, rows }) => {
    const values = rows.map((row) => `(${row.map(literal).join(", ")})`).join(", ");
    return `CREATE TABLE ${name} (${columns.map((column) => column.join(" ")).join(", ")}); INSERT INTO ${name} VALUES ${values};`;
  })
  .join("\n");

function literal(value: string | number | null): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

async function openPostgres(): Promise<PGlite | pg.Pool> {
  if (url === undefined) {
    pglite = await PGlite.create();
    await pglite.exec(script);
    return pglite;
  }
  pool = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}` });
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}; ${script}`);
  return pool;
}

async function postgresRows(text: string): Promise<unknown[][]> {
  const result = await pglite?.query<unknown[]>(text, [], { rowMode: "array" });
  return result?.rows ?? [];
}

async function ask(engine: Ask | undefined, text: string): Promise<unknown[][]> {
  if (engine === undefined) throw new Error("No such engine.");
  return engine(text);
}

async function ours(source: string, sql: string): Promise<unknown[][]> {
  const ending = source === "CSV" || source === "JSON" ? `.${source.toLowerCase()}` : "";
  const details = tables.map(({ name, columns }) => ({
    id: `res:${name}`,
    uri: `${address}/${name}${ending}`,
    kind: ending === "" ? "tabular" : "file",
    title: `${name}${ending}`,
    columns: columns.map(([column, type]) => ({ name: column, type })),
  }));
  const connector = connectors[source];
  if (connector === undefined) throw new Error("No such source.");
  const { columns, rows } = await executeSql(sql, {
    details,
    connectors: { [address]: connector },
  });
  return rows.map((row) => columns.map(({ name }) => row[name]));
}

/** Converts days, timestamps, booleans and numbers to one form, whatever the driver returns. */
function plain(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date) {
    const local = new Date(value.getTime() - value.getTimezoneOffset() * 60_000);
    return local.toISOString().slice(0, 10);
  }
  const text = String(value);
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

/** The first difference between two multisets of rows. Numbers may differ by a billionth. */
function difference(expected: unknown[][], given: unknown[][]): string | undefined {
  if (expected.length !== given.length) return `${given.length} rows for ${expected.length}`;
  const key = (row: unknown[]): string =>
    JSON.stringify(row.map((cell) => (typeof cell === "number" ? cell.toPrecision(7) : cell)));
  const sorted = (rows: unknown[][]): (string | number | null)[][] =>
    rows.map((row) => row.map(plain)).toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  const right = sorted(given);
  for (const [at, row] of sorted(expected).entries()) {
    const other = right[at] ?? [];
    const same = (cell: string | number | null, place: number): boolean => {
      const found = other[place] ?? null;
      if (typeof cell !== "number" || typeof found !== "number") return cell === found;
      return Math.abs(cell - found) <= 1e-9 * Math.max(1, Math.abs(cell));
    };
    if (row.length !== other.length || !row.every(same))
      return `${JSON.stringify(other)} for ${JSON.stringify(row)}`;
  }
  return undefined;
}
