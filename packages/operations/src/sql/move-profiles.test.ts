import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";
import { insertRowsOf } from "../../test-support/insert-rows-of.ts";
import {
  addBranchIndex,
  addRunEnds,
  addWrites,
  createTables,
  dropSessions,
} from "./operation-tables.ts";

// Version 4 of the tables with three profiles, one of them saved three times, a run and a turn.
const fixture = new URL("./__fixtures__/tables-of-version-4.json", import.meta.url);

describe.each(databaseKinds)("profiles in a table of version 4, on %s", (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase(kind, "move_profiles");
    const keyType = kind === "SQLite" ? "TEXT" : 'TEXT COLLATE "C"';
    await database.exec(`
CREATE TABLE ccl_schema (component TEXT PRIMARY KEY, version INTEGER NOT NULL);
INSERT INTO ccl_schema VALUES ('operations', 4);
${[createTables(keyType), addRunEnds("NULL"), addBranchIndex, addWrites(keyType), dropSessions].join("\n")}
DELETE FROM ccl_operation_tokens;
${await insertRowsOf(fixture)}`);
  });
  afterEach(() => database.close());

  /** What a worker finds that opens the database. */
  async function found(): Promise<unknown[]> {
    const { profiles, chat } = await database.open();
    const { profileIds } = await profiles.list();
    const stored = await Promise.all(profileIds.map((id) => profiles.load(id)));
    const turns = await chat.turns({ chatId: "chat", branchId: "main" });
    return [
      ...stored.map((one) => [one?.profileId, one?.version, one?.name]),
      stored[0]?.operations[0]?.config.params["value"],
      turns.length,
    ];
  }

  const whole = [
    ["helper", 3, "Three"],
    ["s'/%", 1, "Once"],
    ["сессия 🙂", 1, "Once"],
    "ключ 🙂 'quoted' \u0000 \ud800",
    1,
  ];

  it("are there after the first open, after the second, and for two workers that open together", async () => {
    expect(await Promise.all([found(), found()])).toEqual([whole, whole]);
    expect(await found()).toEqual(whole);
    await expect(database.exec("SELECT 1 FROM ccl_operation_profiles")).rejects.toThrow(
      "ccl_operation_profiles",
    );
  });

  it("are still there where a worker dies between the two steps of the move", async () => {
    // What stands in the database once the first step is through.
    await database.exec(
      "INSERT INTO ccl_schema VALUES ('operation_profiles', 1); UPDATE ccl_schema SET version = 5 WHERE component = 'operations'",
    );
    expect(await found()).toEqual(whole);
  });
});
