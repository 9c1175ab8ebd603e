import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { byLength } from "../../../../scripts/lengths/test-length.mjs";
import { followScript, type ScriptWorld, scripts } from "../../test-support/follow-script.ts";
import { databaseKinds, openTestDatabase } from "../../test-support/open-test-stores.ts";
import { createStateWorld } from "../../test-support/state-world.mjs";
import * as operations from "../index.ts";
import type { ConversationStore } from "../ports/conversation-store.ts";
import type { RunStore } from "../ports/run-store.ts";
import { createOperationStores } from "../stores/create-operation-stores.ts";

function openWorld(stores: { chat: ConversationStore; runs: RunStore }): ScriptWorld {
  const prompts: string[][] = [];
  return { ...createStateWorld(operations, stores, (prompt) => prompts.push(prompt)), prompts };
}

const runsOn: Readonly<Record<string, number>> = {
  memory: byLength({ test: 40, ci: 100, faults: 1_000 }),
  SQLite: byLength({ test: 10, ci: 20, faults: 1_000 }),
  // A server takes five times as long as a file, and PGlite much longer.
  PostgreSQL: byLength({ test: 5, ci: 15, faults: 1_000 }),
  PGlite: byLength({ test: 1, faults: 20 }),
};

describe.each(["memory", ...databaseKinds])("the state of prompts, on %s", (kind) => {
  let world: ScriptWorld;
  let close = async (): Promise<void> => {};
  beforeAll(async () => {
    if (kind === "memory") {
      world = openWorld(createOperationStores());
      return;
    }
    const database = await openTestDatabase(kind, "state");
    close = () => database.close();
    world = openWorld(await database.open());
  });
  afterAll(() => close());

  it("is that of the path which the chat shows, after any changes in any order", async () => {
    let chats = 0;
    let prompts = 0;
    const numRuns = runsOn[kind] ?? 1;
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        chats += 1;
        const { found, wanted } = await followScript(world, `chat ${chats}`, script);
        expect(found).toEqual(wanted);
        prompts += found.length;
      }),
      { numRuns },
    );
    // A single script may have no prompt.
    expect(prompts).toBeGreaterThanOrEqual(numRuns > 1 ? numRuns : 0);
  });
});

/** Chats with a bug, each of which shows a prompt the state of something else than the path. */
const plantedBugs: Readonly<
  Record<string, (chat: ConversationStore) => Partial<ConversationStore>>
> = {
  "the state is that of the newest turn": (chat) => ({
    keptState: (at, call) => chat.keptState({ ...at, before: undefined }, call),
  }),
  "the state is that of the last answer, whichever is selected": (chat) => ({
    keptState: async (at, call) => {
      const kept = await chat.keptState(at, call);
      const turns = await chat.turns({ ...at, ...call });
      const last = turns.at(-1)?.assistantVariants.at(-1)?.state;
      if (last === undefined) return kept;
      const runs = [...new Set(Object.values(last.heads))];
      const writes = await Promise.all(runs.map((runId) => chat.writesOf(runId, call)));
      return { ...kept, heads: last.heads, hidden: writes.flat() };
    },
  }),
  "a fork begins without the state of its last turn": (chat) => ({
    fork: async ({ newBranchId, userMessageId, ...branch }, call) => {
      const turns = await chat.turns(branch);
      const end = turns.findIndex((turn) => turn.userMessageId === userMessageId) + 1;
      const copied = turns.slice(0, end).map((turn) => ({
        ...turn,
        state: undefined,
        assistantVariants: turn.assistantVariants.map((one) => ({ ...one, state: undefined })),
      }));
      await chat.importTurns({ ...branch, branchId: newBranchId, turns: copied }, call);
    },
  }),
  "what is appended is that of all answers, also of those that are not shown": (chat) => ({
    keptState: async (at, call) => {
      const kept = await chat.keptState(at, call);
      return { ...kept, shown: [...kept.shown, ...kept.hidden] };
    },
  }),
};

it.each(Object.keys(plantedBugs))("is seen to be another where %s", async (name) => {
  const stores = createOperationStores();
  const chat = { ...stores.chat, ...plantedBugs[name]?.(stores.chat) };
  const world = openWorld({ chat, runs: { ...stores.runs, chat } });
  let chats = 0;
  const { failed } = await fc.check(
    fc.asyncProperty(scripts, async (script) => {
      chats += 1;
      const { found, wanted } = await followScript(world, `chat ${chats}`, script);
      expect(found).toEqual(wanted);
    }),
    { numRuns: 300, endOnFailure: true },
  );
  expect(failed).toBe(true);
});
