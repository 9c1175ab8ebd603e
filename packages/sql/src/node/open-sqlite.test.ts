import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SqlError } from "../sql-error.ts";
import { findSqliteDriver, type SqliteDriverName } from "./find-sqlite-driver.ts";
import { openSqlite } from "./open-sqlite.ts";
import { openSqliteHandle, type SqliteDurability } from "../sqlite/open-sqlite-handle.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";

const hasNodeSqlite = globalThis.process.getBuiltinModule("node:sqlite") !== undefined;
const drivers: SqliteDriverName[] = hasNodeSqlite
  ? ["@photostructure/sqlite", "node:sqlite"]
  : ["@photostructure/sqlite"];
if (!hasNodeSqlite) console.warn("node:sqlite is not in this Node; its rows are left out.");

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ccl-sql-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settingOf = (database: SqliteDatabase, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];

const codeOf = (action: () => unknown): string | undefined => {
  try {
    action();
  } catch (error) {
    return SqlError.isInstance(error) ? error.code : String(error);
  }
  return undefined;
};

describe.each(drivers)("openSqlite over %s", (driver) => {
  const open = (
    options: { durability?: SqliteDurability; busyTimeoutMs?: number; name?: string } = {},
  ) => openSqlite({ path: join(folder, options.name ?? "db.sqlite"), driver, ...options });

  it.each([
    ["full", 2],
    ["normal", 1],
    ["off", 0],
  ] as const)(
    "sets what durability %s needs, and SQLite confirms it",
    async (durability, synchronous) => {
      const database = await open({ durability, busyTimeoutMs: 1234 });
      expect(settingOf(database, "synchronous")).toBe(synchronous);
      expect(settingOf(database, "journal_mode")).toBe("wal");
      expect(settingOf(database, "busy_timeout")).toBe(1234);
      expect(settingOf(database, "foreign_keys")).toBe(1);
      expect(settingOf(database, "fullfsync")).toBe(durability === "full" ? 1 : 0);
      database.close();
    },
  );

  it("is fully durable by default, even for a file that was in WAL mode before", async () => {
    (await open()).close();
    const database = await open();
    expect(settingOf(database, "synchronous")).toBe(2);
    database.close();
  });

  it("leaves no write-ahead log behind, whatever is still open", async () => {
    const database = await open();
    database.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)");
    expect(statSync(join(folder, "db.sqlite-wal")).size).toBeGreaterThan(0);
    const statement = database.prepare("SELECT a FROM t");
    const rows = statement.iterate();
    rows.next();
    database.exec("BEGIN; INSERT INTO t VALUES (4)");
    database.close();
    expect(existsSync(join(folder, "db.sqlite-wal"))).toBe(false);
    expect(codeOf(() => statement.all())).toBe("closed");
    expect(codeOf(() => database.exec("SELECT 1"))).toBe("closed");
    const again = await open();
    expect(again.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 3 });
    again.close();
    again.close();
  });

  it("returns every value as it was stored", async () => {
    const database = await open();
    database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, value)");
    const values = [
      null,
      0,
      -1,
      2 ** 53 - 1,
      1.5,
      "",
      "aé😀",
      new Uint8Array(0),
      new Uint8Array([0, 255]),
    ];
    for (const value of values) database.prepare("INSERT INTO t (value) VALUES (?)").run(value);
    const rows = database.prepare("SELECT value FROM t ORDER BY id").all();
    expect(rows.map((row) => row["value"])).toEqual(values);
    expect(rows.at(-1)?.["value"]?.constructor).toBe(Uint8Array);
    database.close();
  });

  it.each(["a\u0000b", "\u0000", "a\ud83d", "\udc00\ud800"])(
    "rejects %j, which drivers would change",
    async (text) => {
      const database = await open();
      const statement = database.prepare("SELECT ? AS echo");
      const calls = [
        () => statement.run(text),
        () => statement.get(text),
        () => statement.all(text),
      ];
      for (const call of [...calls, () => [...statement.iterate(text)]])
        expect(codeOf(call)).toBe("invalid_input");
      database.close();
    },
  );

  it("binds a number next to a whole one unchanged, or rejects it", async () => {
    const database = await open();
    const echo = database.prepare("SELECT ? AS echo");
    for (const value of [5e-324, 1e-20, -0.9999999999999999]) {
      const wanted = driver === "@photostructure/sqlite" ? "invalid_input" : { echo: value };
      expect(codeOf(() => echo.get(value)) ?? echo.get(value)).toEqual(wanted);
      expect(database.prepare("SELECT CAST(? AS REAL) AS echo").get(String(value))).toEqual({
        echo: value,
      });
    }
    for (const value of [Number.EPSILON, -1e-20, 1 - 2 ** -53, 1 + 2 ** -52, Infinity])
      expect(echo.get(value)).toEqual({ echo: value });
    database.close();
  });

  it("reads integers as bigints on request, and never rounds one", async () => {
    const database = await open();
    const sql = "SELECT 9007199254740993 AS large, 1 AS small";
    expect(codeOf(() => database.prepare(sql).get())).toBe("out_of_range");
    expect(database.prepare(sql, { bigints: true }).get()).toEqual({
      large: 9007199254740993n,
      small: 1n,
    });
    expect(database.prepare("SELECT ? AS echo", { bigints: true }).get(9007199254740993n)).toEqual({
      echo: 9007199254740993n,
    });
    database.close();
  });

  it("distinguishes a missing row from an empty one, and counts changes", async () => {
    const database = await open();
    database.exec("CREATE TABLE t (a)");
    expect(database.prepare("INSERT INTO t VALUES (?), (?)").run(null, 2)).toMatchObject({
      changes: 2,
    });
    expect(database.prepare("SELECT a FROM t WHERE a IS NULL").get()).toEqual({ a: null });
    expect(database.prepare("SELECT a FROM t WHERE a = ?").get(9)).toBeUndefined();
    expect(database.prepare("UPDATE t SET a = 3").get()).toBeUndefined();
    expect(database.prepare("DELETE FROM t").all()).toEqual([]);
    expect(database.prepare("INSERT INTO t VALUES (1) RETURNING a").run()).toMatchObject({
      changes: 1,
    });
    database.close();
  });

  it("continues a read across waits, even after garbage collection", async () => {
    const database = await open();
    database.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)");
    const seen: unknown[] = [];
    for (const row of database.prepare("SELECT a FROM t ORDER BY a").iterate()) {
      seen.push(row["a"]);
      for (let round = 0; round < 3; round++) {
        collectGarbage();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    expect(seen).toEqual([1, 2, 3]);
    database.close();
  });

  it("ends a read when its loop is left, and keeps two loops over one statement independent", async () => {
    const database = await open();
    database.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)");
    const statement = database.prepare("SELECT a FROM t ORDER BY a");
    const seen: unknown[] = [];
    for (const outer of statement.iterate()) {
      for (const inner of statement.iterate()) seen.push([outer["a"], inner["a"]]);
      if (outer["a"] === 2) break;
    }
    expect(seen).toHaveLength(6);
    database.exec("DROP TABLE t");
    database.close();
  });

  it.each([
    ["constraint", "INSERT INTO t VALUES (1), (1)"],
    ["constraint", "INSERT INTO child VALUES (7)"],
    ["statement_failed", "no sql"],
  ])("reports the error %s for %s", async (code, sql) => {
    const database = await open();
    database.exec(
      "CREATE TABLE t (a INTEGER PRIMARY KEY); CREATE TABLE child (a REFERENCES t (a))",
    );
    expect(codeOf(() => database.exec(sql))).toBe(code);
    expect(codeOf(() => database.prepare(sql).run())).toBe(code);
    database.close();
  });

  it("fails with disk_full when the database may not grow", async () => {
    const database = await open();
    database.exec("CREATE TABLE t (a); PRAGMA max_page_count = 8");
    const insert = database.prepare("INSERT INTO t VALUES (?)");
    expect(codeOf(() => insert.run(new Uint8Array(1 << 20)))).toBe("disk_full");
    database.close();
  });

  it.each([
    ["a missing folder", "none/db.sqlite", "open_failed"],
    ["a file of another format", "garbage.sqlite", "damaged"],
  ])("rejects %s", async (_name, path, code) => {
    writeFileSync(join(folder, "garbage.sqlite"), "This is no database. ".repeat(500));
    await expect(open({ name: path })).rejects.toMatchObject({ name: "SqlError", code });
  });

  it("keeps its settings over many statements and drops the oldest statement", async () => {
    const database = await open();
    const first = database.prepare("SELECT 0 AS n");
    for (let number = 1; number < 300; number += 1) database.prepare(`SELECT ${number} AS n`).get();
    expect(first.get()).toEqual({ n: 0 });
    expect(database.prepare("SELECT 299 AS n")).toBe(database.prepare("SELECT 299 AS n"));
    database.close();
  });
});

describe("openSqlite", () => {
  it.each([
    [{ path: "x", durability: "fast" as SqliteDurability }, "invalid_input"],
    [{ path: "x", busyTimeoutMs: -1 }, "invalid_input"],
    [{}, "invalid_input"],
    [{ path: ":memory:", signal: AbortSignal.abort() }, "aborted"],
  ])("rejects %j", async (options, code) => {
    // @ts-expect-error: what JavaScript lets pass
    await expect(openSqlite(options)).rejects.toMatchObject({ code });
  });

  it("opens a private database in memory", async () => {
    const database = await openSqlite({ path: ":memory:" });
    expect(database.driver).toBe(
      drivers.includes("node:sqlite") ? "node:sqlite" : "@photostructure/sqlite",
    );
    database.close();
  });

  it.runIf(!hasNodeSqlite)(
    "names the install command if the requested driver is missing",
    async () => {
      const opening = openSqlite({ path: "x", driver: "node:sqlite" });
      await expect(opening).rejects.toMatchObject({ code: "no_driver" });
      await expect(opening).rejects.toThrow("npm install @photostructure/sqlite");
    },
  );

  it("accepts an open handle, and leaves it open", async () => {
    const handle = findSqliteDriver("@photostructure/sqlite").open(join(folder, "own.sqlite"));
    const database = await openSqliteHandle(handle);
    database.exec("CREATE TABLE t (a)");
    database.close();
    expect(() => handle.exec("INSERT INTO t VALUES (1)")).not.toThrow();
    handle.close();
  });
});
