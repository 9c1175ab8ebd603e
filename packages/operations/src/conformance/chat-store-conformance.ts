import { OperationsError } from "../operations-error.ts";
import {
  type ConformanceRule,
  bindRules,
  type KitRule,
  type ConformanceHooks,
  rejectsWith,
} from "@ccl/core/conformance";
import assert from "node:assert/strict";

import type { TurnEffect } from "../effects/operation-effect.ts";
import type { BranchPage, ConversationStore } from "../ports/conversation-store.ts";
import type {
  AssistantVariant,
  ChatBranch,
  ChatStore,
  OperationTurnEffects,
  TurnCommit,
} from "../ports/chat-store.ts";
import { aborted, assertSame } from "./store-rules.ts";

const branch = { chatId: "c", branchId: "b" };

async function say(
  store: ChatStore,
  userMessageId: string,
  content: string = userMessageId,
): Promise<void> {
  await store.appendUserMessage({ ...branch, userMessageId, content });
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
    fencingToken: 1,
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
    fencingToken: 1,
    writtenAt: 1,
    operations,
    ...rest,
  };
}

const of = (
  operationId: string,
  effect: TurnEffect,
  isRequired: boolean = false,
): OperationTurnEffects => {
  return { operationId, effects: [effect], isRequired };
};
/** A run that answers a turn and writes tag `t`, on the state of an earlier run. */
async function runOf(
  store: ChatStore,
  { userMessageId, runId, on }: { userMessageId: string; runId: string; on?: string },
): Promise<void> {
  const state = { runId, session: "s", heads: on === undefined ? {} : { t: on } };
  await store.saveAssistantVariant(answer(userMessageId, `${runId}-answer`, { runId, state }));
  const value = {
    tag: "t",
    value: runId,
    persisted: true,
    usage: "internal",
    semantics: "state",
  } as const;
  const operation = { operationId: "o", effects: [], isRequired: true };
  const write = { value, version: 1 };
  const written = { runId, userMessageId, hook: "after_main_llm", state } as const;
  // As after a crash.
  for (let time = 1; time <= 2; time += 1)
    await store.commitTurn(commit([{ ...operation, write }], written));
}

/** The runs of the kept writes: of shown answers, then of others. */
async function stateOf(
  store: ChatStore,
  at: { branchId?: string; session?: string; before?: string } = {},
): Promise<[heads: unknown, shown: string[], hidden: string[]]> {
  const { heads, shown, hidden } = await store.keptState({ ...branch, session: "s", ...at });
  return [heads, shown.map(({ runId }) => runId), hidden.map(({ runId }) => runId)];
}

const rewrite = (content: string): TurnEffect => ({
  type: "turn.user_variant",
  content,
  select: true,
});

/** What the turn shows, without what stands before the first turn. */
async function texts(store: ChatStore, userMessageId?: string): Promise<string[]> {
  const turn = await store.loadTurn({
    ...branch,
    userMessageId,
  });
  const history = (turn?.history ?? []).filter(
    ({ role }) => role === "user" || role === "assistant",
  );
  return history.map(({ content }) =>
    typeof content === "string" ? content : JSON.stringify(content),
  );
}

const rules: readonly KitRule<ChatStore>[] = [
  {
    name: "a turn is the history up to its user message, which is last and has its id",
    async check(store) {
      assert.equal(await store.loadTurn(branch), undefined);
      await say(store, "u1");
      await store.saveAssistantVariant(answer("u1", "a1"));
      await say(store, "u2");
      assertSame([await texts(store), await texts(store, "u1")], [["u1", "a1", "u2"], ["u1"]]);
      const turn = await store.loadTurn(branch);
      assertSame([turn?.userMessageId, turn?.history.at(-1)?.id], ["u2", "u2"]);
      assert.equal(await store.loadTurn({ ...branch, userMessageId: "none" }), undefined);
      assert.equal(await store.loadTurn({ chatId: "c", branchId: "other" }), undefined);
    },
  },
  {
    name: "a user message that comes twice counts once and stays as it is",
    async check(store) {
      await say(store, "u1", "first");
      await say(store, "u1", "second");
      assertSame(await texts(store), ["first"]);
    },
  },
  {
    name: "the newest answer is selected, and one that comes twice counts once",
    async check(store) {
      await say(store, "u1");
      await store.saveAssistantVariant(answer("u1", "a1", { text: "half", partial: true }));
      await store.saveAssistantVariant(answer("u1", "a1", { text: "whole" }));
      await say(store, "u2");
      assertSame(await texts(store), ["u1", "whole", "u2"]);
      await store.saveAssistantVariant(answer("u1", "a2"));
      assertSame(await texts(store), ["u1", "a2", "u2"]);
    },
  },
  {
    name: "an answer has its tool calls in the history, and one that says nothing is left out",
    async check(store) {
      const toolCalls = [{ id: "t1", name: "look", arguments: "{}" }];
      await say(store, "u1");
      await store.saveAssistantVariant(answer("u1", "a1", { text: "", toolCalls }));
      await say(store, "u2");
      await store.saveAssistantVariant(answer("u2", "a2", { text: "" }));
      await say(store, "u3");
      const turn = await store.loadTurn(branch);
      const ids = (turn?.history ?? []).map(({ id }) => id);
      assertSame(ids.slice(-4), ["u1", "a1", "u2", "u3"]);
      assertSame(turn?.history.at(-3)?.toolCalls, toolCalls);
    },
  },
  {
    name: "variants of the user's message are applied in order, the last selected one shows, and they count once",
    async check(store) {
      await say(store, "u1");
      const one = commit([of("x", rewrite("X")), of("y", rewrite("Y"))]);
      const outcomes = [
        { operationId: "x", status: "applied" },
        { operationId: "y", status: "applied" },
      ];
      assertSame(await store.commitTurn(one), outcomes);
      assertSame(
        await store.commitTurn(commit([of("z", { type: "turn.user_variant", content: "Z" })])),
        [{ operationId: "z", status: "applied" }],
      );
      assertSame(await store.commitTurn(one), outcomes);
      assertSame(await texts(store), ["Y"]);
    },
  },
  {
    name: "an effect on an answer that is not there fails alone, or with all where it is required",
    async check(store) {
      await say(store, "u1");
      const meta = { type: "turn.assistant_meta", meta: {} } as const;
      const outcomes = await store.commitTurn(commit([of("x", meta), of("y", rewrite("Y"))]));
      assertSame(
        outcomes.map(({ status }) => status),
        ["failed", "applied"],
      );
      const second = await store.commitTurn(
        commit([of("v", rewrite("V")), of("w", meta, true)], { runId: "r2" }),
      );
      assertSame(
        second.map(({ status }) => status),
        ["discarded", "failed"],
      );
      assertSame(await texts(store), ["Y"]);
    },
  },
  {
    name: "variants, blocks and meta of the answer are applied",
    async check(store) {
      await say(store, "u1");
      await store.saveAssistantVariant(answer("u1", "a1"));
      const operations = [
        of("v", { type: "turn.assistant_variant", content: "better", select: true }),
        of("w", { type: "turn.assistant_blocks", blocks: [{ kind: "text" }] }),
        of("x", { type: "turn.assistant_meta", meta: { mood: "good" } }),
      ];
      const after = commit(operations, { hook: "after_main_llm", assistantVariantId: "a1" });
      assertSame(
        (await store.commitTurn(after)).map(({ status }) => status),
        ["applied", "applied", "applied"],
      );
      await say(store, "u2");
      assertSame(await texts(store), ["u1", "better", "u2"]);
    },
  },
  {
    name: "a turn begins with the state that the shown answers before it have, in their session",
    async check(store) {
      assertSame(await stateOf(store), [{}, [], []]);
      await say(store, "u1");
      await runOf(store, { userMessageId: "u1", runId: "r1" });
      await say(store, "u2");
      await runOf(store, { userMessageId: "u2", runId: "r2", on: "r1" });
      assertSame(await stateOf(store, { before: "u1" }), [{}, [], []]);
      assertSame(await stateOf(store, { before: "u2" }), [{ t: "r1" }, ["r1"], []]);
      assertSame(await stateOf(store), [{ t: "r2" }, ["r1", "r2"], []]);
      assertSame(await stateOf(store, { session: "other" }), [{}, [], []]);
      const [kept, ...others] = await store.writesOf("r2");
      assertSame([kept?.write.value, kept?.operationId, others], ["r2", "o", []]);
    },
  },
  {
    name: "an answer keeps the state that its run began with, whatever the chat shows by then",
    async check(store) {
      await say(store, "u1");
      await runOf(store, { userMessageId: "u1", runId: "r1" });
      await say(store, "u2");
      await store.saveAssistantVariant(
        answer("u2", "a2", {
          runId: "r2",
          state: { runId: "r2", session: "s", heads: { t: "r1" } },
        }),
      );
      await runOf(store, { userMessageId: "u1", runId: "r3" });
      assertSame(await stateOf(store), [{ t: "r1" }, ["r3"], ["r1"]]);
    },
  },
  {
    name: "a lower fencing token than the branch has seen is refused",
    async check(store) {
      await say(store, "u1");
      await store.saveAssistantVariant(answer("u1", "a1", { fencingToken: 5 }));
      await rejectsWith(OperationsError, "stale_lease", () =>
        store.saveAssistantVariant(answer("u1", "a0", { fencingToken: 4 })),
      );
      await rejectsWith(OperationsError, "stale_lease", () =>
        store.commitTurn(commit([of("x", rewrite("X"))], { fencingToken: 4 })),
      );
      await say(store, "u2");
      assertSame(await texts(store), ["u1", "a1", "u2"]);
    },
  },
  {
    name: "a call whose signal is aborted changes nothing",
    async check(store) {
      await rejectsWith(OperationsError, "aborted", () =>
        store.appendUserMessage({ ...branch, userMessageId: "u", content: "" }, aborted()),
      );
      await rejectsWith(OperationsError, "aborted", () => store.loadTurn(branch, aborted()));
      assert.equal(await store.loadTurn(branch), undefined);
    },
  },
  {
    name: "another handle sees what was said",
    needs: "openSecond",
    async check(store, { openSecond }) {
      const second = await openSecond(store);
      await say(store, "u1");
      await store.saveAssistantVariant(answer("u1", "a1", { fencingToken: 2 }));
      assertSame(await texts(second, "u1"), ["u1"]);
      await rejectsWith(OperationsError, "stale_lease", () =>
        second.saveAssistantVariant(answer("u1", "a0")),
      );
    },
  },
];

/** What every chat store promises, for any test runner. */
export function chatStoreConformance(options: ConformanceHooks<ChatStore>): ConformanceRule[] {
  return bindRules(rules, options);
}

const conversationRules: readonly KitRule<ConversationStore>[] = [
  {
    name: "branches that have turns are listed once with how many, page by page",
    async check(store) {
      const named = (chatId: string, branchId: string): ChatBranch => ({ chatId, branchId });
      const all = [named("c", "b"), named("c", "b2"), named("d", "b")];
      for (const [at, one] of all.entries())
        for (let turn = 0; turn <= at; turn += 1)
          await store.appendUserMessage({ ...one, userMessageId: `u${turn}`, content: "Hi." });
      const gone = { ...branch, branchId: "gone" };
      await store.appendUserMessage({ ...gone, userMessageId: "u", content: "Hi." });
      await store.deleteTurns({ ...gone, from: "u" });
      const listed: BranchPage["branches"] = [];
      let cursor: string | undefined;
      do {
        const page = await store.branches({ limit: 2, cursor });
        assert.ok(page.branches.length <= 2, "a page is too long");
        listed.push(...page.branches);
        ({ cursor } = page);
        assert.ok(listed.length <= all.length, "the pages do not end, or show what has no turns");
      } while (cursor !== undefined);
      const texts = listed.map(({ chatId, branchId, turns }) => `${chatId}/${branchId} ${turns}`);
      assertSame(texts.sort(), ["c/b 1", "c/b2 2", "d/b 3"]);
    },
  },
  {
    name: "selections, deletions, forks and imports take the state along",
    async check(store) {
      await say(store, "u1");
      await runOf(store, { userMessageId: "u1", runId: "r1" });
      await runOf(store, { userMessageId: "u1", runId: "r2" });
      await say(store, "u2");
      await runOf(store, { userMessageId: "u2", runId: "r3", on: "r2" });
      await store.editTurn({
        ...branch,
        userMessageId: "u1",
        variantId: "r1-answer",
        type: "select",
      });
      assertSame(await stateOf(store), [{ t: "r3" }, ["r1", "r3"], []]);
      const edit = { type: "edit", content: "edited" } as const;
      await store.editTurn({ ...branch, userMessageId: "u2", variantId: "r3-answer", ...edit });
      await store.fork({ ...branch, userMessageId: "u2", newBranchId: "forked" });
      const turns = await store.turns(branch);
      await store.importTurns({ ...branch, branchId: "imported", turns });
      await store.importTurns({ chatId: "other", branchId: "imported", turns });
      assert.equal(await store.deleteTurns({ ...branch, from: "u2" }), 1);
      assertSame(await stateOf(store), [{ t: "r1" }, ["r1"], []]);
      for (const branchId of ["forked", "imported"])
        assertSame(await stateOf(store, { branchId }), [{ t: "r3" }, ["r1", "r3"], []]);
      const elsewhere = await store.keptState({
        chatId: "other",
        branchId: "imported",
        session: "s",
      });
      assertSame(elsewhere.shown, []);
      for (const branchId of ["forked", "imported"])
        await store.deleteTurns({ ...branch, branchId, from: "u1" });
      assertSame(await store.writesOf("r3"), []);
    },
  },
];

/** What a store of conversations promises beside what every chat store does. */
export function conversationStoreConformance(
  options: ConformanceHooks<ConversationStore>,
): ConformanceRule[] {
  return [...chatStoreConformance(options), ...bindRules(conversationRules, options)];
}
