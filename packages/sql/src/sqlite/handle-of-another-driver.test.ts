import { describe, expect, it } from "vitest";
import { findSqliteDriver } from "../node/find-sqlite-driver.ts";
import { openSqliteHandle } from "./open-sqlite-handle.ts";
import type { SqliteHandle, SqliteHandleStatement } from "./sqlite-database.ts";

interface FullStatement {
  columns(): unknown[];
  setReadBigInts(on: boolean): void;
  run(...parameters: never[]): { changes: number; lastInsertRowid: number };
  get(...parameters: never[]): object | undefined;
  all(...parameters: never[]): object[];
  iterate(...parameters: never[]): Iterable<object>;
}

function statementOf(statement: SqliteHandleStatement): FullStatement {
  return statement as SqliteHandleStatement & FullStatement;
}

/**
 * Imitates better-sqlite3 over another driver: Buffers, integers that are rounded by default, and
 * statements that know their kind.
 */
async function openLikeBetterSqlite(): Promise<SqliteHandle & { inTransaction: boolean }> {
  const inner = findSqliteDriver("@photostructure/sqlite").open(":memory:");
  const prepare = (
    sql: string,
  ): SqliteHandleStatement & { reader: boolean; safeIntegers(on: boolean): void } => {
    const statement = statementOf(inner.prepare(sql));
    const reader = statement.columns().length > 0;
    let isSafe = false;
    statement.setReadBigInts(true);
    const valueOf = (value: unknown): unknown => {
      if (value instanceof Uint8Array) return Buffer.from(value);
      return typeof value === "bigint" && !isSafe ? Number(value) : value;
    };
    const rowOf = (row: object | undefined): unknown =>
      row && Object.fromEntries(Object.entries(row).map(([name, value]) => [name, valueOf(value)]));
    const only = (wanted: boolean): void => {
      if (reader !== wanted) throw new TypeError("This statement returns data, or it does not");
    };
    return {
      reader,
      safeIntegers: (on) => void (isSafe = on),
      run: (...parameters) => (only(false), statement.run(...parameters)),
      get: (...parameters) => (only(true), rowOf(statement.get(...parameters))),
      all: (...parameters) => (only(true), statement.all(...parameters).map(rowOf)),
      *iterate(...parameters) {
        only(true);
        for (const row of statement.iterate(...parameters)) yield rowOf(row);
      },
    };
  };
  return {
    exec: (sql) => inner.exec(sql),
    prepare,
    close: () => inner.close(),
    get inTransaction() {
      return "isTransaction" in inner && inner.isTransaction === true;
    },
  };
}

describe("a handle that behaves like better-sqlite3", () => {
  it("works like the other drivers", async () => {
    const handle = await openLikeBetterSqlite();
    const database = await openSqliteHandle(handle);
    database.exec("CREATE TABLE t (a, b)");
    const insert = database.prepare("INSERT INTO t VALUES (?, ?)");
    expect(insert.run(1, new Uint8Array([1, 2]))).toMatchObject({ changes: 1 });
    expect(insert.get(2, null)).toBeUndefined();
    expect(insert.all(3, "x")).toEqual([]);
    expect(database.prepare("INSERT INTO t VALUES (4, 5) RETURNING a").run()).toMatchObject({
      changes: 1,
    });
    const rows = database.prepare("SELECT a, b FROM t ORDER BY a").all();
    expect(rows[0]).toEqual({ a: 1, b: new Uint8Array([1, 2]) });
    expect(rows[0]?.["b"]?.constructor).toBe(Uint8Array);
    expect([...database.prepare("SELECT a FROM t ORDER BY a").iterate()]).toEqual(
      [1, 2, 3, 4].map((a) => ({ a })),
    );
    expect(() => database.prepare("SELECT 9007199254740993 AS n").get()).toThrow(/bigints/);
    expect(database.prepare("SELECT 9007199254740993 AS n", { bigints: true }).get()).toEqual({
      n: 9007199254740993n,
    });
    database.close();
    handle.close();
  });
});
