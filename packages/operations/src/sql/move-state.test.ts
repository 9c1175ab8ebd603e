import { createScriptedModel } from "@ccl/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { defineProfile } from "../define/define-profile.ts";
import { compute } from "../define/operations.ts";
import { readState } from "../ports/read-state.ts";
import { createRunEngine } from "../run/create-run-engine.ts";
import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";
import { insertRowsOf } from "../../test-support/insert-rows-of.ts";
import { addBranchIndex, addRunEnds, createTables } from "./operation-tables.ts";

// Two chats of one kind, as version 3 of the tables keeps them; the runs of the first one are pruned. Each of them: "one!",
// "two" answered twice, "three", "one!" answered again, then a fork after "two" with "four".
const fixture = new URL("./__fixtures__/state-in-sessions.json", import.meta.url);

describe.each(databaseKinds)("states of version 3 of the tables, on %s", (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase(kind, "move_state");
    await database.exec(`
CREATE TABLE ccl_schema (component TEXT PRIMARY KEY, version INTEGER NOT NULL);
INSERT INTO ccl_schema VALUES ('operations', 3);
${createTables(kind === "SQLite" ? "TEXT" : 'TEXT COLLATE "C"')}
${addRunEnds("NULL")}
${addBranchIndex}
DELETE FROM ccl_operation_tokens;
${await insertRowsOf(fixture)}`);
  });
  afterEach(() => database.close());

  describe.each([
    ["pruned", 0],
    ["chat", 6],
  ])("of the chat %s", (chatId, earlier) => {
    const answer = (number: number): string => `answer ${earlier + number}`;
    const at = { chatId, branchId: "main", profileId: "story", operationProfileSessionId: "1" };

    it("are those of the answers that the chat shows", async () => {
      const { chat } = await database.open();
      const values = async (of: object = {}): Promise<unknown> =>
        (await readState(chat, { ...at, ...of })).map(({ tag, value }) => [tag, value]);
      expect(await values({ before: "u1" })).toEqual([]);
      expect(await values({ before: "u2" })).toEqual([
        ["last", answer(5)],
        ["log", [answer(5)]],
        ["wish", "one!"],
      ]);
      expect(await values()).toEqual([
        ["last", answer(4)],
        ["log", [answer(5), answer(3), answer(4)]],
        ["wish", "one!"],
      ]);
      expect(await values({ branchId: "side" })).toEqual([
        ["last", answer(6)],
        ["log", [answer(6)]],
      ]);
    });

    it("follow the chat from then on", async () => {
      const stores = await database.open();
      const { chat } = stores;
      const [first, second] = await chat.turns(at);
      const select = async (userMessageId = "", variantId = ""): Promise<void> =>
        chat.editTurn({ chatId, branchId: "main", userMessageId, variantId, type: "select" });
      await select("u1", first?.assistantVariants[0]?.variantId);
      await select("u2", second?.assistantVariants[0]?.variantId);
      await chat.deleteTurns({ chatId, branchId: "main", from: "u3" });
      const mainModel = createScriptedModel(["answer 9"]);
      const profile = defineProfile({
        id: "story",
        turn: { system: "{{ art.last }}|{{ art.log | join: ',' }}|{{ art.wish }}" },
        operations: { last: compute(({ answer }) => answer, { after: true }) },
      });
      const engine = createRunEngine({ ...stores, profile, mainModel, recover: false });
      const run = await engine.start({ chatId, message: "Go on." });
      expect((await run.result).status).toBe("done");
      expect(mainModel.requests[0]?.messages[0]?.content).toBe(
        `${answer(2)}|${answer(1)},${answer(2)}|one!`,
      );
    });
  });

  it("are moved once, though two workers open the tables together", async () => {
    const opened = await Promise.all([database.open(), database.open()]);
    for (const { chat } of opened) expect(await chat.writesOf("none")).toEqual([]);
  });
});
