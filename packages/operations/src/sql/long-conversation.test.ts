import { estimatedCounter } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { openSqlite } from "@ccl/sql/node";
import { expect, it } from "vitest";

import { readSillyTavernChat } from "../ports/read-silly-tavern-chat.ts";
import { searchTurns } from "../ports/search-turns.ts";
import { createRunEngine } from "../run/create-run-engine.ts";
import { openSqliteOperationStores } from "../sqlite/index.ts";

/** A chat as SillyTavern exports it: a header, a greeting with swipes, then messages in turn. */
function exported(messages: number): string {
  const header = { user_name: "Ann", character_name: "Sea", create_date: "2024-05-01@10h00m00s" };
  const lines: object[] = [header];
  for (let at = 0; at < messages; at += 1) {
    const isUser = at % 2 === 1;
    const mes = `${isUser ? "I go" : "Waves"} ${at}: the harbour lantern swings over cold water.`;
    const swipes = isUser ? {} : { swipes: ["Another tide.", mes], swipe_id: 1, swipe_info: [] };
    const name = isUser ? "Ann" : "Sea";
    lines.push({
      name,
      is_user: isUser,
      is_system: false,
      send_date: at,
      mes,
      extra: {},
      ...swipes,
    });
  }
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

it("says which lines of an export are no messages", () => {
  const text = `${exported(2)}\nnot json\n{"name":"Sea"}`;
  const read = readSillyTavernChat(text);
  expect(read.ok ? [] : read.issues.map(({ path }) => path)).toEqual([[3], [4]]);
  expect(readSillyTavernChat("").ok).toBe(false);
});

it("keeps what an export says of each swipe", () => {
  const info = [
    { send_date: 1, extra: { model: "first" } },
    { send_date: 2, extra: { model: "second" } },
  ];
  const message = { name: "Sea", mes: "Tide.", swipes: ["Ebb.", "Tide."], swipe_id: 1 };
  const lines = [
    {},
    { ...message, send_date: 3, extra: { model: "shown" }, swipe_info: info },
    { name: "Ann", is_user: true, mes: "I go.", extra: {} },
  ];
  const read = readSillyTavernChat(lines.map((line) => JSON.stringify(line)).join("\n"));
  const [greeting, turn] = read.ok ? read.value : [];
  expect(greeting?.assistantVariants.map(({ meta }) => meta)).toEqual([
    { name: "Sea", sentAt: 1, extra: { model: "first" } },
    { name: "Sea", sentAt: 3, extra: { model: "shown" } },
  ]);
  expect(turn?.userVariants[0]?.meta).toEqual({ name: "Ann" });
});

it("imports 10,000 messages, changes them, forgets them, and goes on at the cost of a short chat", async () => {
  const database = await openSqlite({ path: ":memory:", durability: "off" });
  const stores = await openSqliteOperationStores({ database });
  const { chat } = stores;
  const read = readSillyTavernChat(exported(10_000));
  if (!read.ok) throw new Error(read.issues[0]?.message);
  const long = { chatId: "long", branchId: "main" };
  const short = { chatId: "short", branchId: "main" };
  await chat.importTurns({ ...long, turns: read.value });
  await chat.importTurns({ ...short, turns: read.value.slice(0, 100) });
  expect(await chat.branches()).toEqual({
    branches: [
      { ...long, turns: 5_001 },
      { ...short, turns: 100 },
    ],
  });
  const [greeting] = await chat.turns(long, { before: read.value[1]?.userMessageId });
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
  const rows = JSON.stringify(database.prepare("SELECT * FROM ccl_operation_turns").all());
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
