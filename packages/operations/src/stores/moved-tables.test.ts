import { openRecords } from "@ccl/records";
import { openSqlite } from "@ccl/sql/node";
import type { SqliteDatabase } from "@ccl/sql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";
import { fixtureOfVersion } from "../../test-support/former-tables.ts";
import { createOperationStores, type OperationStores } from "./create-operation-stores.ts";

const session = JSON.stringify(["story", "1"]);

/** What the version that filled the tables answered. */
async function answersOf({ runs, chat }: OperationStores): Promise<unknown> {
  const answers: Record<string, unknown> = {};
  answers["open"] = await runs.listRuns();
  const all = await runs.listRuns({ all: true });
  answers["all"] = all;
  for (const { runId } of all.runs) {
    answers[`run ${runId}`] = await runs.loadRun(runId);
    answers[`events ${runId}`] = await runs.readEvents(runId);
    answers[`writes ${runId}`] = (await chat.writesOf(runId)).length;
  }
  const branches = [
    { chatId: "chat", branchId: "main" },
    { chatId: "chat", branchId: "side/2" },
    { chatId: "chat", branchId: "waits" },
    { chatId: "сессия 🙂", branchId: "main" },
  ];
  for (const branch of branches) {
    const name = `${branch.chatId}/${branch.branchId}`;
    answers[`turns ${name}`] = await chat.turns(branch);
    answers[`turn ${name}`] = await chat.loadTurn(branch);
    answers[`state ${name}`] = await chat.keptState({ ...branch, session });
  }
  const before = { chatId: "chat", branchId: "main", session, before: "u2" };
  answers["before"] = await chat.keptState(before);
  answers["branches"] = (await chat.branches()).branches;
  // As JSON, which has no members that are undefined.
  return JSON.parse(JSON.stringify(answers));
}

describe.each(databaseKinds)("the tables of former versions, on %s", (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase(kind, "moved");
  });
  afterEach(() => database.close());

  it("answer as they did, once they are moved, to two workers that open them together too", async () => {
    const { statements, answers } = await fixtureOfVersion(6);
    await database.exec(statements);
    const opened = await Promise.all([database.open(), database.open()]);
    for (const stores of opened) expect(await answersOf(stores)).toEqual(answers);
    expect(await answersOf(await database.open())).toEqual(answers);
    await expect(database.exec("SELECT 1 FROM ccl_operation_runs")).rejects.toThrow(
      "ccl_operation_runs",
    );
    // An unfinished run is continued, and its branch takes no other meanwhile.
    const [{ runs }] = opened;
    const lease = await runs.acquireLease("open", { owner: "next", ttlMs: 10, nowMs: 1e15 });
    const former = Number(lease?.fencingToken);
    expect(lease).toMatchObject({ owner: "next" });
    expect(
      await runs.append({ runId: "open", fencingToken: former - 1, events: [], steps: [] }),
    ).toEqual({ status: "stale_lease" });
  });

  it.each([4, 5])("of version %s keep their profiles, runs and turns", async (version) => {
    await database.exec((await fixtureOfVersion(version)).statements);
    const { profiles, chat, runs } = await database.open();
    expect((await profiles.list()).profileIds).toEqual(["helper", "s'/%", "сессия 🙂"]);
    const helper = await profiles.load("helper");
    expect([helper?.version, helper?.name]).toEqual([3, "Three"]);
    expect(await chat.turns({ chatId: "chat", branchId: "main" })).toHaveLength(1);
    expect((await runs.listRuns({ all: true })).runs).toHaveLength(1);
  });

  it("are refused with what to do if they are older, and stay as they are", async () => {
    const { statements } = await fixtureOfVersion(6);
    await database.exec(`${statements} UPDATE ccl_schema SET version = 3;`);
    await expect(database.open()).rejects.toMatchObject({ message: /version 3/ });
    await database.exec("SELECT 1 FROM ccl_operation_runs");
  });
});

it("are whole after a failure at any statement of the move", async () => {
  const { statements, answers } = await fixtureOfVersion(6);
  let isDone = false;
  for (let failAt = 0; !isDone; failAt += 23) {
    const database = await openSqlite({ path: ":memory:" });
    database.exec(statements);
    let count = 0;
    const failing: SqliteDatabase = {
      driver: database.driver,
      handle: database.handle,
      busyTimeoutMs: database.busyTimeoutMs,
      exec: database.exec.bind(database),
      close: () => database.close(),
      prepare(sql) {
        count += 1;
        if (count === failAt) throw new Error("The machine lost its power.");
        return database.prepare(sql);
      },
    };
    isDone = await openRecords({ sqlite: failing }).then(
      () => failAt > 0,
      () => false,
    );
    const stores = createOperationStores(await openRecords({ sqlite: database }));
    expect(await answersOf(stores)).toEqual(answers);
    database.close();
  }
});
