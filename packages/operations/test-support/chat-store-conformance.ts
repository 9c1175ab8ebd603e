import { type ConformanceRule, bindRules, type ConformanceHooks } from "@ccl/core/conformance";

import type { TurnEffect } from "../src/effects/operation-effect.ts";
import { createOperationStores } from "../src/stores/create-operation-stores.ts";
import type {
  AssistantVariant,
  OperationTurnEffects,
  TurnCommit,
} from "../src/ports/chat-store.ts";
import { type ScriptRule, rulesOfScripts } from "./script-rules.ts";
import { aborted, pagesOf } from "./store-rules.ts";
import { type WrittenChat, writtenChat } from "./written-chat.ts";

const branch = { chatId: "c", branchId: "b" };

async function say(
  store: WrittenChat,
  userMessageId: string,
  content: string = userMessageId,
): Promise<void> {
  await store.say({ ...branch, userMessageId, content });
}

function answer(
  userMessageId: string,
  assistantVariantId: string,
  rest: Partial<AssistantVariant> = {},
): AssistantVariant {
  return {
    ...branch,
    runId: "r",
    userMessageId,
    assistantVariantId,
    text: assistantVariantId,
    partial: false,
    ...rest,
  };
}

function commit(
  operations: readonly OperationTurnEffects[],
  rest: Partial<TurnCommit> = {},
): TurnCommit {
  return {
    ...branch,
    runId: "r",
    hook: "before_main_llm",
    userMessageId: "u1",
    writtenAt: 1,
    operations,
    ...rest,
  };
}

const of = (operationId: string, effect: TurnEffect): OperationTurnEffects => {
  return { operationId, effects: [effect] };
};
/** A run that answers a turn and writes tag `t`, based on the state of an earlier run. */
async function runOf(
  store: WrittenChat,
  { userMessageId, runId, on }: { userMessageId: string; runId: string; on?: string },
): Promise<void> {
  const state = { runId, session: "s", heads: on === undefined ? {} : { t: on } };
  await store.answer(answer(userMessageId, `${runId}-answer`, { runId, state }));
  const value = {
    tag: "t",
    value: runId,
    persisted: true,
    usage: "internal",
    semantics: "state",
  } as const;
  const operation = { operationId: "o", effects: [] };
  const write = { value, version: 1 };
  const written = { runId, userMessageId, hook: "after_main_llm", state } as const;
  // The second pass repeats the first, as after a crash.
  for (let time = 1; time <= 2; time += 1)
    await store.commit(commit([{ ...operation, write }], written));
}

/** Reads the state of a session, before a turn or of the whole branch. */
async function lookAtState(
  store: WrittenChat,
  at: { branchId?: string; session?: string; before?: string } = {},
): Promise<void> {
  await store.keptState({ ...branch, session: "s", ...at });
}

const rewrite = (content: string): TurnEffect => ({
  type: "turn.user_variant",
  content,
  select: true,
});

/** The contract of chat stores, as scripts. */
export const chatStoreScripts: readonly ScriptRule<WrittenChat>[] = [
  {
    name: "a turn is the history up to its user message, which is last and has its id",
    async script(store) {
      await store.loadTurn(branch);
      await say(store, "u1");
      await store.answer(answer("u1", "a1"));
      await say(store, "u2");
      await store.loadTurn(branch);
      await store.loadTurn({ ...branch, userMessageId: "u1" });
      await store.loadTurn({ ...branch, userMessageId: "none" });
      await store.loadTurn({ chatId: "c", branchId: "other" });
    },
  },
  {
    name: "a user message that comes twice counts once and stays as it is",
    async script(store) {
      await say(store, "u1", "first");
      await say(store, "u1", "second");
      await store.loadTurn(branch);
    },
  },
  {
    name: "the newest answer is selected, and one that comes twice counts once",
    async script(store) {
      await say(store, "u1");
      await store.answer(answer("u1", "a1", { text: "half", partial: true }));
      await store.answer(answer("u1", "a1", { text: "whole" }));
      await say(store, "u2");
      await store.loadTurn(branch);
      await store.answer(answer("u1", "a2"));
      await store.loadTurn(branch);
    },
  },
  {
    name: "an answer has its tool calls in the history, and one that says nothing is left out",
    async script(store) {
      const toolCalls = [{ id: "t1", name: "look", arguments: "{}" }];
      await say(store, "u1");
      await store.answer(answer("u1", "a1", { text: "", toolCalls }));
      await say(store, "u2");
      await store.answer(answer("u2", "a2", { text: "" }));
      await say(store, "u3");
      await store.loadTurn(branch);
    },
  },
  {
    name: "variants of the user's message are applied in order, the last selected one shows, and they count once",
    async script(store) {
      await say(store, "u1");
      const one = commit([of("x", rewrite("X")), of("y", rewrite("Y"))]);
      await store.commit(one);
      await store.commit(commit([of("z", { type: "turn.user_variant", content: "Z" })]));
      await store.commit(one);
      await store.loadTurn(branch);
    },
  },
  {
    name: "variants, blocks and meta of the answer are applied",
    async script(store) {
      await say(store, "u1");
      await store.answer(answer("u1", "a1"));
      const operations = [
        of("v", { type: "turn.assistant_variant", content: "better", select: true }),
        of("w", { type: "turn.assistant_blocks", blocks: [{ kind: "text" }] }),
        of("x", { type: "turn.assistant_meta", meta: { mood: "good" } }),
      ];
      const after = { hook: "after_main_llm" } as const;
      await store.commit(commit(operations, after));
      await say(store, "u2");
      await store.loadTurn(branch);
    },
  },
  {
    name: "a turn begins with the state that the shown answers before it have, in their session",
    async script(store) {
      await lookAtState(store);
      await say(store, "u1");
      await runOf(store, { userMessageId: "u1", runId: "r1" });
      await say(store, "u2");
      await runOf(store, { userMessageId: "u2", runId: "r2", on: "r1" });
      for (const at of [{ before: "u1" }, { before: "u2" }, {}, { session: "other" }])
        await lookAtState(store, at);
      await store.writesOf("r2");
    },
  },
  {
    name: "an answer keeps the state that its run began with, whatever the chat shows by then",
    async script(store) {
      await say(store, "u1");
      await runOf(store, { userMessageId: "u1", runId: "r1" });
      await say(store, "u2");
      const state = { runId: "r2", session: "s", heads: { t: "r1" } };
      await store.answer(answer("u2", "a2", { runId: "r2", state }));
      await runOf(store, { userMessageId: "u1", runId: "r3" });
      await lookAtState(store);
    },
  },
  {
    name: "a call whose signal is aborted changes nothing",
    async script(store) {
      await store.say({ ...branch, userMessageId: "u", content: "" }, aborted());
      await store.loadTurn(branch, aborted());
      await store.loadTurn(branch);
    },
  },
  {
    name: "another handle sees what was said",
    needs: "openSecond",
    async script(store, { second: openSecond }) {
      const second = await openSecond();
      await say(store, "u1");
      await store.answer(answer("u1", "a1"));
      await second.loadTurn({ ...branch, userMessageId: "u1" });
    },
  },
];

/** What the contract of conversation stores adds, as scripts. */
export const conversationStoreScripts: readonly ScriptRule<WrittenChat>[] = [
  {
    name: "branches that have turns are listed once with how many, page by page",
    async script(store, { raw, record }) {
      const sizes = { "c/b": 1, "c/b2": 2, "d/b": 3, "c/gone": 1 };
      for (const [path, size] of Object.entries(sizes)) {
        const [chatId = "", branchId = ""] = path.split("/");
        for (let turn = 0; turn < size; turn += 1) {
          const userMessageId = `u${turn}`;
          await store.say({ chatId, branchId, userMessageId, content: "Hi." });
        }
      }
      await store.deleteTurns({ ...branch, branchId: "gone", from: "u0" });
      const listed = await pagesOf(2, async (page) => {
        const { branches, cursor } = await raw.branches(page);
        return { items: branches.map((one) => JSON.stringify(one)), cursor };
      });
      record(listed.sort());
    },
  },
  {
    name: "selections, deletions, forks and imports take the state along",
    async script(store) {
      await say(store, "u1");
      await runOf(store, { userMessageId: "u1", runId: "r1" });
      await runOf(store, { userMessageId: "u1", runId: "r2" });
      await say(store, "u2");
      await runOf(store, { userMessageId: "u2", runId: "r3", on: "r2" });
      const edit = (userMessageId: string, variantId: string) => ({
        ...branch,
        userMessageId,
        variantId,
      });
      await store.editTurn({ ...edit("u1", "r1-answer"), type: "select" });
      await lookAtState(store);
      await store.editTurn({ ...edit("u2", "r3-answer"), type: "edit", content: "edited" });
      await store.fork({ ...branch, userMessageId: "u2", newBranchId: "forked" });
      const turns = await store.turns(branch);
      await store.importTurns({ ...branch, branchId: "imported", turns });
      await store.importTurns({ chatId: "other", branchId: "imported", turns });
      await store.deleteTurns({ ...branch, from: "u2" });
      await lookAtState(store);
      for (const branchId of ["forked", "imported"]) await lookAtState(store, { branchId });
      await store.keptState({ chatId: "other", branchId: "imported", session: "s" });
      for (const branchId of ["forked", "imported"])
        await store.deleteTurns({ ...branch, branchId, from: "u1" });
      await store.writesOf("r3");
    },
  },
];

const openChat = (): WrittenChat => writtenChat(createOperationStores());

/** The contract of chat stores, for any test runner. */
export function chatStoreConformance(options: ConformanceHooks<WrittenChat>): ConformanceRule[] {
  return bindRules(rulesOfScripts(chatStoreScripts, openChat), options);
}

/** What the contract of conversation stores adds to that of chat stores. */
export function conversationStoreConformance(
  options: ConformanceHooks<WrittenChat>,
): ConformanceRule[] {
  const own = rulesOfScripts(conversationStoreScripts, openChat);
  return [...chatStoreConformance(options), ...bindRules(own, options)];
}
