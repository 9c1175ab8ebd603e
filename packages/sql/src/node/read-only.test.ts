import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "../transaction/transaction.ts";
import { findSqliteDriver, type SqliteDriverName } from "./find-sqlite-driver.ts";
import { openSqlite } from "./open-sqlite.ts";
import { openSqliteHandle } from "../sqlite/open-sqlite-handle.ts";

const hasNodeSqlite = globalThis.process.getBuiltinModule("node:sqlite") !== undefined;
const drivers: SqliteDriverName[] = hasNodeSqlite
  ? ["@photostructure/sqlite", "node:sqlite"]
  : ["@photostructure/sqlite"];

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ccl-sql-ro-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Every file in the folder, with its bytes. */
const everything = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "base64")]),
  );

describe.each(drivers)("openSqlite, read only, over %s", (driver) => {
  const names = ["WAL", "DELETE", "TRUNCATE"];

  it.each(names)("reads a database in journal mode %s and leaves no trace", async (mode) => {
    const path = join(folder, "it's 100% #1.sqlite");
    const handle = findSqliteDriver(driver).open(path);
    handle.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (a); INSERT INTO t VALUES (1)`);
    handle.close();
    const before = everything();
    const database = await openSqlite({ path, driver, readOnly: true });
    expect(database.prepare("SELECT a FROM t").all()).toEqual([{ a: 1 }]);
    expect(
      await transaction(database, (tx) => tx.prepare("SELECT a FROM t").get(), { mode: "read" }),
    ).toEqual({
      a: 1,
    });
    expect(() => database.exec("INSERT INTO t VALUES (2)")).toThrowError(
      expect.objectContaining({ code: "read_only" }),
    );
    await expect(transaction(database, (tx) => tx.exec("DELETE FROM t"))).rejects.toMatchObject({
      code: "read_only",
    });
    expect(everything()).toEqual(before);
    database.close();
    expect(everything()).toEqual(before);
  });

  it("sees commits in another connection's log, and does not touch the log", async () => {
    const path = join(folder, "live.sqlite");
    const writer = await openSqlite({ path, driver });
    writer.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    const log = readFileSync(`${path}-wal`);
    const reader = await openSqlite({ path, driver, readOnly: true });
    expect(reader.prepare("SELECT a FROM t").all()).toEqual([{ a: 1 }]);
    writer.exec("INSERT INTO t VALUES (2)");
    expect(reader.prepare("SELECT count(*) AS rows FROM t").get()).toEqual({ rows: 2 });
    reader.close();
    expect(readFileSync(`${path}-wal`).subarray(0, log.length)).toEqual(log);
    writer.close();
  });

  it("creates no file, and rejects a file that is not a database", async () => {
    await expect(
      openSqlite({ path: join(folder, "none.sqlite"), driver, readOnly: true }),
    ).rejects.toMatchObject({
      code: "open_failed",
    });
    expect(everything()).toEqual({});
    writeFileSync(join(folder, "note.txt"), "A note, no data. ".repeat(100));
    const before = everything();
    await expect(
      openSqlite({ path: join(folder, "note.txt"), driver, readOnly: true }),
    ).rejects.toMatchObject({
      code: "damaged",
    });
    expect(everything()).toEqual(before);
  });

  it("makes a handle reject writes, and does not change its journal mode", async () => {
    const handle = findSqliteDriver(driver).open(join(folder, "own.sqlite"));
    handle.exec("CREATE TABLE t (a)");
    const database = await openSqliteHandle(handle, { readOnly: true });
    expect(() => database.exec("INSERT INTO t VALUES (2)")).toThrowError(
      expect.objectContaining({ code: "read_only" }),
    );
    expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "delete" });
    database.close();
    handle.close();
  });
});
