import { getEventListeners } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqlite } from "../node/open-sqlite.ts";
import { openSqliteHandle } from "../sqlite/open-sqlite-handle.ts";
import type { SqliteDriverName } from "../node/find-sqlite-driver.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { transaction } from "./transaction.ts";

const hasNodeSqlite = globalThis.process.getBuiltinModule("node:sqlite") !== undefined;
const drivers: SqliteDriverName[] = hasNodeSqlite
  ? ["@photostructure/sqlite", "node:sqlite"]
  : ["@photostructure/sqlite"];
if (!hasNodeSqlite) console.warn("node:sqlite is not in this Node; its rows are left out.");

function signalOf(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

describe.each(drivers)("transaction on %s", (driver) => {
  let folder = "";
  let database: SqliteDatabase;
  const open = (busyTimeoutMs = 5000): Promise<SqliteDatabase> =>
    openSqlite({ path: join(folder, "db.sqlite"), driver, busyTimeoutMs });
  const values = (on: SqliteDatabase = database): unknown[] =>
    on
      .prepare("SELECT a FROM t ORDER BY a")
      .all()
      .map((row) => row["a"]);
  const insert = (on: SqliteDatabase, value: number): void => {
    on.prepare("INSERT INTO t VALUES (?)").run(value);
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "ccl-sql-"));
    database = await open();
    database.exec("CREATE TABLE t (a UNIQUE)");
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("commits what its action wrote, and returns its value", async () => {
    expect(await transaction(database, (tx) => (insert(tx, 1), "value"))).toBe("value");
    expect(values()).toEqual([1]);
  });

  it("adds one listener to a signal that many waiting transactions share, and removes it", async () => {
    const { signal, abort } = signalOf();
    const running = Promise.allSettled(
      Array.from({ length: 20 }, (_, value) =>
        transaction(database, async (tx) => insert(tx, value), { signal }),
      ),
    );
    expect(getEventListeners(signal, "abort").length).toBe(1);
    expect((await running).every(({ status }) => status === "fulfilled")).toBe(true);
    expect(getEventListeners(signal, "abort").length).toBe(0);

    const first = transaction(database, async (tx) => (abort(), insert(tx, 20)), { signal });
    const others = Array.from({ length: 3 }, () =>
      transaction(database, (tx) => insert(tx, 21), { signal }),
    );
    for (const call of [first, ...others])
      await expect(call).rejects.toMatchObject({ code: "aborted" });
    expect(getEventListeners(signal, "abort").length).toBe(0);
    await transaction(database, (tx) => insert(tx, 22));
    expect(values()).toEqual([...Array.from({ length: 20 }, (_, value) => value), 22]);
  });

  it.each([
    ["synchronous", (tx: SqliteDatabase) => (insert(tx, 1), fail())],
    [
      "asynchronous",
      async (tx: SqliteDatabase) => (insert(tx, 1), await Promise.resolve(), fail()),
    ],
  ])(
    "rolls everything back when a %s action throws, and passes on its error",
    async (_name, action) => {
      await expect(transaction(database, action)).rejects.toThrow("wanted");
      expect(values()).toEqual([]);
      await transaction(database, (tx) => insert(tx, 2));
      expect(values()).toEqual([2]);
    },
  );

  it("runs actions that await one at a time, in the order of the calls", async () => {
    const trace: string[] = [];
    const run = (name: string): Promise<void> =>
      transaction(database, async () => {
        trace.push(`${name} begins`);
        for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
        trace.push(`${name} ends`);
      });
    await Promise.all(["a", "b", "c"].map(run));
    expect(trace).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("runs a synchronous action without interruption", async () => {
    const running = transaction(database, (tx) => (insert(tx, 1), fail()));
    for (let turn = 0; turn < 20; turn += 1) {
      insert(database, turn);
      await Promise.resolve();
    }
    await expect(running).rejects.toThrow("wanted");
    expect(values()).toEqual(Array.from({ length: 20 }, (_, turn) => turn));
  });

  it("nests as savepoints: an inner failure rolls back only the inner part", async () => {
    await transaction(database, async (outer) => {
      insert(outer, 1);
      await expect(transaction(outer, (inner) => (insert(inner, 2), fail()))).rejects.toThrow(
        "wanted",
      );
      await transaction(outer, async (inner) => {
        insert(inner, 3);
        await Promise.all([4, 5].map((value) => transaction(inner, (deep) => insert(deep, value))));
      });
    });
    expect(values()).toEqual([1, 3, 4, 5]);
  });

  it("rejects use after the end of the transaction", async () => {
    let kept: SqliteDatabase | undefined;
    await transaction(database, (tx) => void (kept = tx));
    expect(() => kept?.exec("SELECT 1")).toThrow(/ended/);
    await expect(transaction(database, (tx) => tx.close())).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it.each([
    ["before it begins", (controller: AbortController) => controller.abort()],
    [
      "during its action",
      (controller: AbortController) => queueMicrotask(() => controller.abort()),
    ],
  ])("is rolled back when aborted %s", async (_name, abort) => {
    const controller = new AbortController();
    abort(controller);
    const running = transaction(
      database,
      async (tx) => {
        insert(tx, 1);
        for (let turn = 0; turn < 9; turn += 1) await Promise.resolve();
      },
      { signal: controller.signal },
    );
    await expect(running).rejects.toMatchObject({ code: "aborted" });
    expect(values()).toEqual([]);
  });

  it("leaves the queue when aborted", async () => {
    const controller = new AbortController();
    let release = (): void => undefined;
    const first = transaction(
      database,
      () => new Promise<void>((resolve) => void (release = resolve)),
    );
    const second = transaction(database, (tx) => insert(tx, 2), { signal: controller.signal });
    const third = transaction(database, (tx) => insert(tx, 3));
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    release();
    await Promise.all([first, third]);
    expect(values()).toEqual([3]);
  });

  it("waits for another connection without blocking the thread", async () => {
    const other = await open();
    let release = (): void => undefined;
    const holding = transaction(other, (tx) => {
      insert(tx, 1);
      return new Promise<void>((resolve) => void (release = resolve));
    });
    await Promise.resolve();
    const waiting = transaction(database, (tx) => insert(tx, 2));
    // The timer runs although the lock is held. A wait inside SQLite would prevent that.
    setTimeout(() => release(), 5);
    await Promise.all([holding, waiting]);
    expect(values()).toEqual([1, 2]);
    other.close();
  });

  it("fails with busy when the lock is held longer than the timeout, and works afterwards", async () => {
    const other = await open(20);
    database.exec("BEGIN IMMEDIATE");
    await expect(transaction(other, (tx) => insert(tx, 2))).rejects.toMatchObject({ code: "busy" });
    database.exec("ROLLBACK");
    await transaction(other, (tx) => insert(tx, 2));
    expect(Object.values(other.prepare("PRAGMA busy_timeout").get() ?? {})).toEqual([20]);
    other.close();
  });

  it("restores SQLite's timeout: at once on a handle that was passed in, otherwise before the next statement", async () => {
    const { handle } = database;
    const timeout = (): unknown[] =>
      Object.values(handle.prepare("PRAGMA busy_timeout").get() ?? {});
    const lent = await openSqliteHandle(handle, { busyTimeoutMs: 30 });
    await transaction(lent, (tx) => insert(tx, 1));
    expect(timeout()).toEqual([30]);
    await transaction(database, (tx) => insert(tx, 2));
    await transaction(database, () => expect(timeout()).toEqual([5000]), { mode: "read" });
    await transaction(database, (tx) => insert(tx, 3));
    expect(values()).toEqual([1, 2, 3]);
    expect(timeout()).toEqual([5000]);
  });

  it("reads a single state throughout in mode read", async () => {
    const other = await open();
    await transaction(
      database,
      async (tx) => {
        expect(values(tx)).toEqual([]);
        await transaction(other, (writer) => insert(writer, 1));
        expect(values(tx)).toEqual([]);
      },
      { mode: "read" },
    );
    expect(values()).toEqual([1]);
    other.close();
  });

  it("runs no statement after SQLite itself rolled the transaction back", async () => {
    await transaction(database, (tx) => insert(tx, 0));
    const running = transaction(database, (tx) => {
      insert(tx, 1);
      try {
        tx.exec("INSERT OR ROLLBACK INTO t VALUES (0)");
      } catch {
        // A careless action ignores the error.
      }
      insert(tx, 2);
    });
    await expect(running).rejects.toMatchObject({ code: "constraint" });
    expect(values()).toEqual([0]);
    await transaction(database, (tx) => insert(tx, 3));
    expect(values()).toEqual([0, 3]);
  });
});

function fail(): never {
  throw new Error("wanted");
}
