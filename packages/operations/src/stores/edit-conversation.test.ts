import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createScriptedModel } from "@ccl/core/testing";
import { openSqlite } from "@ccl/sql/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { StoredTurn } from "../ports/chat-store.ts";
import type { ConversationStore } from "../ports/conversation-store.ts";
import { createRunEngine } from "../run/create-run-engine.ts";
import { openSqliteOperationStores } from "../sqlite/index.ts";
import { createChatStore } from "./create-chat-store.ts";
import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";

const branch = { chatId: "c", branchId: "main" };

/** A turn with two answers, the first of them selected. */
function turn(id: string): StoredTurn {
  return {
    userMessageId: id,
    userVariants: [{ variantId: id, content: `ask ${id}` }],
    selectedUser: 0,
    assistantVariants: [
      { variantId: `${id}a`, content: `first ${id}` },
      { variantId: `${id}b`, content: `second ${id}` },
    ],
    selectedAssistant: 0,
  };
}

async function texts(chat: ConversationStore, branchId: string = "main"): Promise<unknown[]> {
  const last = await chat.loadTurn({ chatId: "c", branchId });
  return (last?.history ?? []).map(({ content }) => content);
}

describe.each(["memory", ...databaseKinds])("a conversation in %s", (kind) => {
  let database: TestDatabase | undefined;
  let chat: ConversationStore;
  beforeAll(async () => {
    database = kind === "memory" ? undefined : await openTestDatabase(kind, "conversation");
    chat = database === undefined ? createChatStore() : (await database.open()).chat;
    await chat.importTurns({ ...branch, turns: ["1", "2", "3", "4"].map(turn) });
  });
  afterAll(() => database?.close());

  it("is imported whole and once, and read in windows", async () => {
    await chat.importTurns({ ...branch, turns: [turn("4"), turn("5")] });
    const ids = async (window?: Parameters<ConversationStore["turns"]>[1]) =>
      (await chat.turns(branch, window)).map(({ userMessageId }) => userMessageId);
    expect(await ids()).toEqual(["1", "2", "3", "4", "5"]);
    expect(await ids({ limit: 2 })).toEqual(["4", "5"]);
    expect(await ids({ before: "4", limit: 2 })).toEqual(["2", "3"]);
    expect((await chat.turns(branch, { limit: 1 }))[0]).toEqual(turn("5"));
  });

  it("shows the variant that is selected, and the text that it was given", async () => {
    const at = { ...branch, userMessageId: "1" };
    await chat.editTurn({ ...at, type: "select", variantId: "1b" });
    await chat.editTurn({ ...at, type: "edit", variantId: "1b", content: "edited" });
    await chat.editTurn({ ...at, type: "edit", variantId: "1", content: "asked anew" });
    expect((await texts(chat)).slice(0, 3)).toEqual(["asked anew", "edited", "ask 2"]);
    const unknown = chat.editTurn({ ...at, type: "select", variantId: "1c" });
    await expect(unknown).rejects.toMatchObject({ code: "unknown_turn" });
  });

  it("forks up to a turn, and each branch goes its own way", async () => {
    await chat.fork({ ...branch, userMessageId: "2", newBranchId: "other" });
    const edit = { type: "edit", variantId: "2", content: "elsewhere" } as const;
    await chat.editTurn({ chatId: "c", branchId: "other", userMessageId: "2", ...edit });
    expect(await texts(chat, "other")).toEqual(["asked anew", "edited", "elsewhere"]);
    expect((await texts(chat))[2]).toBe("ask 2");
    const again = chat.fork({ ...branch, userMessageId: "1", newBranchId: "other" });
    await expect(again).rejects.toMatchObject({ code: "conflict" });
  });

  it("loses the turns that are deleted, and takes new ones behind the rest", async () => {
    expect(await chat.deleteTurns({ ...branch, from: "2", to: "3" })).toBe(2);
    expect(await chat.deleteTurns({ ...branch, from: "5" })).toBe(1);
    const said = { ...turn("6"), assistantVariants: [], selectedAssistant: undefined };
    await chat.importTurns({ ...branch, turns: [said] });
    expect(await texts(chat)).toEqual(["asked anew", "edited", "ask 4", "first 4", "ask 6"]);
    const unknown = chat.deleteTurns({ ...branch, from: "2" });
    await expect(unknown).rejects.toMatchObject({ code: "unknown_turn" });
  });
});

it("leaves no row that holds the text of a deleted turn", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccl-conversation-"));
  const database = await openSqlite({ path: join(folder, "chat.db"), durability: "off" });
  const stores = await openSqliteOperationStores({ client: database });
  const rowsWith = (needle: string): string[] =>
    database
      .prepare("SELECT key, value FROM ccl_records")
      .all()
      .filter((row) => String(row["value"]).includes(needle))
      .map((row) => String(row["key"]).split("/")[1] ?? "");
  try {
    const mainModel = createScriptedModel(["The password is walrus.", "Noted."]);
    const engine = createRunEngine({ mainModel, ...stores, recover: false });
    for (const [id, message] of [
      ["u1", "Keep walrus."],
      ["u2", "Thanks."],
    ] as const)
      await (
        await engine.start({ chatId: "c", message, userMessageId: id })
      ).result;
    // The answer stands in the turn, in the result of its run, and in the event that streamed it.
    expect(rowsWith("is walrus.").sort()).toEqual(["log", "result", "turn"]);
    await stores.chat.deleteTurns({ ...branch, from: "u1", to: "u1" });
    expect(rowsWith("walrus")).toEqual([]);
    expect(rowsWith("Noted.").length).toBeGreaterThan(1);
  } finally {
    await stores.close();
    database.close();
    await rm(folder, { recursive: true });
  }
});
