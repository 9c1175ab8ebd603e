import { estimatedCounter } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { openSqlite } from "@ccl/sql/node";
import { expect, it } from "vitest";

import type { StoredTurn, StoredVariant } from "../ports/chat-store.ts";
import { searchTurns } from "../ports/search-turns.ts";
import { createRunEngine } from "../run/create-run-engine.ts";
import { openSqliteOperationStores } from "../sqlite/index.ts";

/** A greeting of two variants, then turns of a message and two answers. */
function turnsOf(messages: number): StoredTurn[] {
  return Array.from({ length: messages / 2 + 1 }, (_, at): StoredTurn => {
    const texts = (name: string, who: number, contents: string[]): StoredVariant[] =>
      contents.map((content, index) => ({
        variantId: `${name}-${who}/${index}`,
        content,
        meta: { name, sentAt: who },
      }));
    const said = (who: string, number: number): string =>
      `${who} ${number}: the harbour lantern swings over cold water.`;
    return {
      userMessageId: `m${at}`,
      userVariants: texts("Ann", 2 * at - 1, [at === 0 ? "" : said("I go", 2 * at - 1)]),
      selectedUser: 0,
      ...(2 * at < messages
        ? {
            assistantVariants: texts("Sea", 2 * at, ["Another tide.", said("Waves", 2 * at)]),
            selectedAssistant: 1,
          }
        : { assistantVariants: [] }),
    };
  });
}

it("imports 10,000 messages, changes them, forgets them, and goes on at the cost of a short chat", async () => {
  const database = await openSqlite({ path: ":memory:", durability: "off" });
  const stores = await openSqliteOperationStores({ client: database });
  const { chat } = stores;
  const turns = turnsOf(10_000);
  const long = { chatId: "long", branchId: "main" };
  const short = { chatId: "short", branchId: "main" };
  await chat.importTurns({ ...long, turns });
  await chat.importTurns({ ...short, turns: turns.slice(0, 100) });
  expect(await chat.branches()).toEqual({
    branches: [
      { ...long, turns: 5_001 },
      { ...short, turns: 100 },
    ],
  });
  const [greeting] = await chat.turns(long, { before: turns[1]?.userMessageId });
  const [first, second] = greeting?.assistantVariants ?? [];
  expect([greeting?.selectedAssistant, first?.content]).toEqual([1, "Another tide."]);
  const at = { ...long, userMessageId: greeting?.userMessageId ?? "" };
  await chat.editTurn({ ...at, type: "select", variantId: first?.variantId ?? "" });
  await chat.editTurn({
    ...at,
    type: "edit",
    variantId: second?.variantId ?? "",
    content: "Xylograph.",
  });
  const wanted = { text: "xylograph tide" };
  expect(await searchTurns(chat, long, wanted)).toHaveLength(1);
  const found = await searchTurns(chat, long, { text: "GO 9997", limit: 5 });
  expect(found.map(({ userVariants }) => userVariants[0]?.content)).toEqual([
    expect.stringContaining("I go 9997"),
  ]);
  await chat.fork({ ...at, newBranchId: "other" });
  expect(await searchTurns(chat, { ...long, branchId: "other" }, wanted)).toHaveLength(1);
  await chat.deleteTurns({ ...long, from: at.userMessageId, to: at.userMessageId });
  await chat.deleteTurns({ ...long, branchId: "other", from: at.userMessageId });
  const rows = JSON.stringify(database.prepare("SELECT * FROM ccl_records").all());
  expect(rows.includes("Xylograph")).toBe(false);
  // What a turn reads does not grow with the chat, and no empty message is sent.
  const mainModel = createScriptedModel(["Yes.", "Yes."]);
  const limits = { prompt: { counter: estimatedCounter, budget: 2_000 } };
  const engine = createRunEngine({ mainModel, ...stores, limits, recover: false });
  for (const branch of [long, short])
    expect((await (await engine.start({ ...branch, message: "On." })).result).status).toBe("done");
  const { history = [], position } = (await chat.loadTurn({ ...long, maxTurns: 100 })) ?? {};
  expect([position, history.length]).toEqual([5_002, 202]);
  expect(mainModel.requests[0]?.messages.every(({ content }) => content !== "")).toBe(true);
  await stores.close();
  database.close();
});
