import type { ConformanceRule } from "@ccl/core/conformance";
import { describe, expect, it } from "vitest";

import { createOperationStores } from "./create-operation-stores.ts";
import { createRunStore } from "./create-run-store.ts";
import type { RunStore } from "../ports/run-store.ts";
import {
  chatStoreConformance,
  conversationStoreConformance,
} from "../../test-support/chat-store-conformance.ts";
import { type WrittenChat, writtenChat } from "../../test-support/written-chat.ts";
import { runStoreConformance } from "../../test-support/run-store-conformance.ts";

/** Names of the rules that the store breaks. */
async function broken(rules: readonly ConformanceRule[]): Promise<string[]> {
  const names: string[] = [];
  for (const { name, run } of rules) await run().catch(() => names.push(name));
  return names;
}

/** A fault, and the rule that has to find it. */
type Fault<Store> = [name: string, breaks: (store: Store) => Store, rule: string];

const runFaults: Fault<RunStore>[] = [
  [
    "begins tokens at 0",
    (store) => ({
      ...store,
      async createRun(run, options) {
        const made = await store.createRun(run, options);
        if (made.status !== "created") return made;
        const { fencingToken } = made.lease;
        return { ...made, lease: { ...made.lease, fencingToken: fencingToken - 1 } };
      },
    }),
    "a run comes back as it was made",
  ],
  [
    "names another run than the one that was made",
    (store) => ({
      ...store,
      async createRun(run, options) {
        const made = await store.createRun(run, options);
        return made.status === "active" ? { ...made, runId: run.input.runId } : made;
      },
    }),
    "of runs made for a branch at the same time one is made",
  ],
  [
    "prunes as many as there are",
    (store) => ({ ...store, prune: (options) => store.prune({ ...options, limit: 10_000 }) }),
    "pruning deletes the runs that ended before a time, oldest first, with all that is theirs",
  ],
  [
    "prunes all that has ended",
    (store) => ({
      ...store,
      prune: (options) => store.prune({ ...options, endedBeforeMs: Infinity }),
    }),
    "pruning deletes the runs that ended before a time, oldest first, with all that is theirs",
  ],
  [
    "prunes remembered runs",
    (store) => ({ ...store, prune: (options) => store.prune({ ...options, nowMs: 1e12 }) }),
    "pruning keeps the run of a remembered request, and forgets the request with the run",
  ],
  [
    "gives leases that are held",
    (store) => ({
      ...store,
      acquireLease: (id, request, options) =>
        store.acquireLease(id, { ...request, nowMs: 1e12 }, options),
    }),
    "a lease is held until it ends or is given back, and tokens rise",
  ],
  [
    "does not fence",
    (store) => ({
      ...store,
      async append(one, options) {
        const fencingToken = (await store.loadRun(one.runId))?.lease?.fencingToken ?? 0;
        return store.append({ ...one, fencingToken }, options);
      },
    }),
    "an append under an old token is refused whole",
  ],
  [
    "counts from the end for a number below 0",
    (store) => ({
      ...store,
      readEvents: async (id, options) =>
        (options?.afterSeq ?? 0) < 0
          ? (await store.readEvents(id)).slice(options?.afterSeq)
          : store.readEvents(id, options),
    }),
    "events are read after a whole number of 0 or more",
  ],
  [
    "lets a branch have two runs",
    (store) => ({
      ...store,
      createRun: (run, options) =>
        store.createRun({ ...run, input: { ...run.input, branchId: run.input.runId } }, options),
    }),
    "a branch has one unfinished run, and tokens rise from run to run",
  ],
  [
    "takes any payload for the same",
    (store) => ({
      ...store,
      createRun: (run, options) =>
        store.createRun(
          run.clientRequest
            ? { ...run, clientRequest: { ...run.clientRequest, payloadHash: "" } }
            : run,
          options,
        ),
    }),
    "a request id gives its run again, also after the end, until its time is over",
  ],
  [
    "remembers requests for ever",
    (store) => ({
      ...store,
      createRun: (run, options) =>
        store.createRun(
          run.clientRequest
            ? { ...run, clientRequest: { ...run.clientRequest, keptUntilMs: Infinity } }
            : run,
          options,
        ),
    }),
    "a request id gives its run again, also after the end, until its time is over",
  ],
  [
    "loses steps",
    (store) => ({
      ...store,
      append: (one, options) => store.append({ ...one, steps: [] }, options),
    }),
    "events and steps come back in order, as they were",
  ],
  [
    "numbers events by itself",
    (store) => ({
      ...store,
      readEvents: async (id, options) =>
        (await store.readEvents(id, options)).map((event, at) => ({ ...event, seq: at + 1 })),
    }),
    "events and steps come back in order, as they were",
  ],
  [
    "does not end runs",
    (store) => ({
      ...store,
      append: ({ result: _result, ...one }, options) => store.append(one, options),
    }),
    "a run with a result has ended: no lease, no more events, its branch free",
  ],
  [
    "forgets requests to abort",
    (store) => ({ ...store, requestAbort: async () => true }),
    "a request to abort is seen by the worker, the first stays, and an ended run has none",
  ],
];

runFaults.push(
  [
    "lists unfinished runs only",
    (store) => ({ ...store, listRuns: (options) => store.listRuns({ ...options, all: false }) }),
    "ended runs are listed too where all are asked for, the newest first, with their leases",
  ],
  [
    "lists runs without their leases",
    (store) => ({
      ...store,
      async listRuns(options) {
        const { runs, ...page } = await store.listRuns(options);
        return { ...page, runs: runs.map(({ runId }) => ({ runId })) };
      },
    }),
    "ended runs are listed too where all are asked for, the newest first, with their leases",
  ],
  [
    "keeps no answer",
    (store) => ({ ...store, answer: async () => true }),
    "an answer is kept among the steps without a lease, the first stays and a second is refused, as by an ended run",
  ],
  [
    "takes answers after the end",
    (store) => ({
      ...store,
      answer: async (...args) => (await store.answer(...args)) || true,
    }),
    "an answer is kept among the steps without a lease, the first stays and a second is refused, as by an ended run",
  ],
);

const conversationFaults: Fault<WrittenChat>[] = [
  [
    "lists branches without pages",
    (store) => ({ ...store, branches: () => store.branches() }),
    "branches that have turns are listed once with how many, page by page",
  ],
  [
    "counts turns wrongly",
    (store) => ({
      ...store,
      async branches(options) {
        const { branches, ...page } = await store.branches(options);
        return { ...page, branches: branches.map((one) => ({ ...one, turns: 1 })) };
      },
    }),
    "branches that have turns are listed once with how many, page by page",
  ],
  [
    "deletes no state",
    (store) => ({
      ...store,
      async deleteTurns(range, options) {
        const turns = await store.turns(range);
        const count = await store.deleteTurns(range, options);
        const gone = turns.filter(({ userMessageId }) => userMessageId === range.from);
        await store.importTurns({ ...range, turns: gone });
        return count;
      },
    }),
    "selections, deletions, forks and imports take the state along",
  ],
  [
    "forks and imports without the state",
    (store) => ({
      ...store,
      async fork({ newBranchId, userMessageId, ...from }) {
        const turns = await store.turns(from);
        const at = turns.findIndex((turn) => turn.userMessageId === userMessageId) + 1;
        const bare = turns.slice(0, at).map(({ assistantVariants, ...turn }) => ({
          ...turn,
          state: undefined,
          assistantVariants: assistantVariants.map((variant) => ({ ...variant, state: undefined })),
        }));
        await store.importTurns({ ...from, branchId: newBranchId, turns: bare });
      },
    }),
    "selections, deletions, forks and imports take the state along",
  ],
];

const chatFaults: Fault<WrittenChat>[] = [
  [
    "appends a message twice",
    (store) => {
      let count = 0;
      return {
        ...store,
        say: (message, options) =>
          store.say(
            {
              ...message,
              userMessageId:
                message.userMessageId === "u1" ? `u1-${(count += 1)}` : message.userMessageId,
            },
            options,
          ),
      };
    },
    "a user message that comes twice counts once and stays as it is",
  ],
  [
    "applies a repeated commit again",
    (store) => {
      let count = 0;
      return {
        ...store,
        commit: (commit) =>
          store.commit({
            ...commit,
            runId: `${(count += 1)}`,
            operations: count > 2 ? commit.operations.toReversed() : commit.operations,
          }),
      };
    },
    "variants of the user's message are applied in order, the last selected one shows, and they count once",
  ],
  [
    "drops the tool calls of answers",
    (store) => ({
      ...store,
      answer: ({ toolCalls: _calls, ...variant }) => store.answer(variant),
    }),
    "an answer has its tool calls in the history, and one that says nothing is left out",
  ],
  [
    "has one state for all sessions",
    (store) => ({
      ...store,
      keptState: (at, options) => store.keptState({ ...at, session: "s" }, options),
    }),
    "a turn begins with the state that the shown answers before it have, in their session",
  ],
  [
    "shows the state of the whole branch",
    (store) => ({
      ...store,
      keptState: (at, options) => store.keptState({ ...at, before: undefined }, options),
    }),
    "a turn begins with the state that the shown answers before it have, in their session",
  ],
  [
    "forgets what answers that are not shown have written",
    (store) => ({
      ...store,
      keptState: async (at, options) => ({ ...(await store.keptState(at, options)), hidden: [] }),
    }),
    "an answer keeps the state that its run began with, whatever the chat shows by then",
  ],
  [
    "keeps no state of answers",
    (store) => ({
      ...store,
      answer: (variant) => store.answer({ ...variant, state: undefined }),
    }),
    "an answer keeps the state that its run began with, whatever the chat shows by then",
  ],
  [
    "lists no writes of runs",
    (store) => ({ ...store, writesOf: async () => [] }),
    "a turn begins with the state that the shown answers before it have, in their session",
  ],
];

describe("a store is found out that", () => {
  it.each(runFaults)("%s (runs)", async (_name, breaks, rule) => {
    expect(
      await broken(runStoreConformance({ open: async () => breaks(createRunStore()) })),
    ).toContain(rule);
  });

  const openChat = (): WrittenChat => writtenChat(createOperationStores());

  it.each(chatFaults)("%s (chats)", async (_name, breaks, rule) => {
    const open = async (): Promise<WrittenChat> => breaks(openChat());
    expect(await broken(chatStoreConformance({ open }))).toContain(rule);
  });

  it.each(conversationFaults)("%s (conversations)", async (_name, breaks, rule) => {
    const open = async (): Promise<WrittenChat> => breaks(openChat());
    expect(await broken(conversationStoreConformance({ open }))).toContain(rule);
  });
});
