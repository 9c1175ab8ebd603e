import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SqliteDatabase, SqliteValue } from "../sqlite/sqlite-database.ts";
import { openSqlite } from "./open-sqlite.ts";

let folder = "";
let database: SqliteDatabase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ccl-sql-"));
  database = await openSqlite({ path: join(folder, "db.sqlite") });
  database.exec("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, NULL), (3.5, x'00ff')");
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const bomb =
  "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";

async function read(sql: string, signal?: AbortSignal): Promise<SqliteValue[][]> {
  const rows: SqliteValue[][] = [];
  const batches = database.readApart?.(sql, [], { batchRows: 2, signal });
  for await (const batch of batches ?? []) rows.push(...batch);
  return rows;
}

it("reads committed rows in batches, including columns with equal names", async () => {
  expect(await read("SELECT a, b, a FROM t")).toEqual([
    [1n, "x", 1n],
    [2n, null, 2n],
    [3.5, new Uint8Array([0, 255]), 3.5],
  ]);
  database.exec("INSERT INTO t VALUES (4, 'y')");
  expect(await read("SELECT count(*) FROM t")).toEqual([[4n]]);
});

it("ends an endless statement when aborted, and can read again", async () => {
  const abort = new AbortController();
  const reading = read(bomb, abort.signal);
  setTimeout(() => abort.abort(), 100);
  await expect(reading).rejects.toMatchObject({ code: "aborted" });
  expect(await read("SELECT 1")).toEqual([[1n]]);
});

it("can read again after an abort that came after the last rows", async () => {
  const abort = new AbortController();
  for await (const rows of database.readApart?.("SELECT 1", [], {
    batchRows: 2,
    signal: abort.signal,
  }) ?? []) {
    expect(rows).toEqual([[1n]]);
    abort.abort();
  }
  expect(await read("SELECT 2")).toEqual([[2n]]);
});

it.each(["INSERT INTO t VALUES (1, 1)", "no sql", "SELECT * FROM missing"])(
  "rejects %s and stays usable",
  async (sql) => {
    await expect(read(sql)).rejects.toMatchObject({ name: "SqlError" });
    expect(await read("SELECT count(*) FROM t")).toEqual([[3n]]);
  },
);

it("has no process for an in-memory database", async () => {
  const inMemory = await openSqlite({ path: ":memory:" });
  expect(inMemory.readApart).toBeUndefined();
  inMemory.close();
});
