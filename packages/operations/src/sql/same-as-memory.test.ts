import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import type { VariantState } from "../ports/chat-state.ts";
import type { ConversationStore } from "../ports/conversation-store.ts";
import { createMemoryChatStore } from "../ports/create-memory-chat-store.ts";
import { createProfileStore } from "../ports/create-profile-store.ts";
import { createMemoryRunStore } from "../ports/create-memory-run-store.ts";
import type { ProfileStore } from "../ports/profile-store.ts";
import type { RunLease, RunStore } from "../ports/run-store.ts";
import type { RunResult } from "../run/run-result.ts";
import type { OperationStores } from "./operation-stores.ts";
import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";

// Keys that break what is not kept apart: a null character, half a surrogate pair, quotes, and order beyond the BMP.
const names = ["a", "b", "\u0000'\"\\", "\ud800", "\uffff", "\u{1f600}"];
const name = fc.constantFrom(...names);
const json = fc.jsonValue({ maxDepth: 2 });
// Leases last for 10 and requests for 9, so that each limit is met exactly. Time only goes on: how long a request is
// remembered by a clock that goes back is up to a store.
const stepMs = fc.constantFrom(0, 0, 0, 1, 9, 10, 11);

/** What a call gave, or the code of what it threw. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (OperationsError.isInstance(error)) return { error: error.code };
    throw error;
  }
}

/** Fencing tokens may have gaps: what counts is which of two is higher. */
function withoutTokens(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (key, field: unknown) => (key === "fencingToken" ? 0 : field)),
  );
}

interface RunWorld {
  runs: RunStore;
  leases: RunLease[];
  scope: string;
  nowMs: number;
}

type RunCall = (world: RunWorld) => Promise<unknown>;

const later = (world: RunWorld, ms: number): number => (world.nowMs += ms);

const result: RunResult = {
  formatVersion: 1,
  runId: "",
  status: "done",
  startedAt: 1,
  finishedAt: 2,
  durationMs: 1,
  operationRuns: [],
  mainLlm: { executed: false },
  commitLog: [],
  artifacts: [],
};

const eventAt = (seq: number, epoch: number, text: string): RunEvent => ({
  runId: "r",
  chatId: "c",
  branchId: "b",
  userMessageId: "u",
  trigger: "generate",
  seq,
  epoch,
  ts: 1,
  type: "run.started",
  initiator: text,
});

const runCall: fc.Arbitrary<RunCall> = fc.oneof(
  fc
    .record({
      id: name,
      chat: name,
      request: fc.option(name),
      hash: fc.constantFrom("x", "y"),
      stepMs,
    })
    .map(({ id, chat, request, hash, stepMs: step }): RunCall => async (world) => {
      const { runs, leases, scope } = world;
      const now = later(world, step);
      const input = {
        runId: scope + id,
        chatId: scope + chat,
        branchId: "m",
        trigger: "generate" as const,
        userMessageId: "u",
        assistantVariantId: "v",
        startedAt: now,
      };
      const clientRequest =
        request === null
          ? undefined
          : { clientRequestId: request, payloadHash: hash, keptUntilMs: now + 9 };
      const lease = { owner: id, ttlMs: 10, nowMs: now };
      const made = await runs.createRun({
        input: { ...input, formatVersion: 1 },
        lease,
        clientRequest,
      });
      if (made.status === "created") leases.push(made.lease);
      return made;
    }),
  fc.record({ id: name, stepMs }).map(({ id, stepMs: step }): RunCall => async (world) => {
    const { runs, leases, scope } = world;
    const now = later(world, step);
    const lease = await runs.acquireLease(scope + id, { owner: "w", ttlMs: 10, nowMs: now });
    if (lease !== undefined) leases.push(lease);
    return lease;
  }),
  fc
    .record({ which: fc.nat(9), stepMs })
    .map(({ which, stepMs: step }): RunCall => async (world) => {
      const { runs, leases } = world;
      const now = later(world, step);
      const lease = leases[which % Math.max(1, leases.length)];
      return lease && runs.renewLease(lease, { ttlMs: 10, nowMs: now });
    }),
  fc.nat(9).map((which): RunCall => async ({ runs, leases }) => {
    const lease = leases[which % Math.max(1, leases.length)];
    return lease && runs.releaseLease(lease);
  }),
  fc
    .record({
      which: fc.nat(9),
      from: fc.integer({ min: 1, max: 6 }),
      count: fc.nat(5),
      text: fc.string(),
      ends: fc.nat(5),
    })
    .map(({ which, from, count, text, ends }): RunCall => async ({ runs, leases }) => {
      const place = which % Math.max(1, leases.length);
      const lease = leases[place];
      if (lease === undefined) return undefined;
      const events = Array.from({ length: count }, (_, index) =>
        eventAt(from + index, place, text),
      );
      const steps = [
        { kind: "stop" as const, cause: "user_abort" as const, reason: `${place} ${text}` },
      ];
      const { runId, fencingToken } = lease;
      return runs.append([
        { runId, fencingToken, events, steps, result: ends === 0 ? result : undefined },
      ]);
    }),
  fc
    .record({ id: name, reason: fc.string() })
    .map(({ id, reason }): RunCall => ({ runs, scope }) => {
      return runs.requestAbort(scope + id, { reason });
    }),
  name.map(
    (id): RunCall =>
      ({ runs, scope }) =>
        runs.loadRun(scope + id),
  ),
  fc.record({ id: name, afterSeq: fc.nat(8), limit: fc.integer({ min: 0, max: 4 }) }).map(
    ({ id, ...reading }): RunCall =>
      async ({ runs, scope }) =>
        runs.readEvents(scope + id, reading),
  ),
  fc
    .record({ id: name, limit: fc.integer({ min: 1, max: 3 }) })
    .map(({ id, limit }): RunCall => async ({ runs, scope }) => {
      const page = await runs.listRuns({ cursor: scope + id, limit });
      return page.runs.filter(({ runId }) => runId.startsWith(scope));
    }),
);

type ChatCall = (chat: ConversationStore, scope: string) => Promise<unknown>;

const runName = fc.constantFrom("r1", "r2", "r3");
const branchName = fc.constantFrom("m", "m", "n");
const stateOf = (scope: string, run: string, heads: readonly string[]): VariantState => ({
  runId: scope + run,
  session: "s",
  heads: Object.fromEntries(heads.map((head) => ["t", scope + head])),
});

const chatCall: fc.Arbitrary<ChatCall> = fc.oneof(
  fc.record({ userMessageId: name, content: fc.string() }).map(
    (message): ChatCall =>
      (chat, chatId) =>
        chat.appendUserMessage({ ...message, chatId, branchId: "m" }),
  ),
  fc.option(name).map((id): ChatCall => (chat, chatId) => {
    return chat.loadTurn({ chatId, branchId: "m", userMessageId: id !== null ? id : undefined });
  }),
  fc
    .record({
      userMessageId: name,
      assistantVariantId: name,
      branchId: branchName,
      text: fc.string(),
      partial: fc.boolean(),
      fencingToken: fc.nat(3),
      run: runName,
      heads: fc.array(runName, { maxLength: 1 }),
    })
    .map(({ run, heads, ...variant }): ChatCall => (chat, chatId) => {
      const state = stateOf(chatId, run, heads);
      return chat.saveAssistantVariant({ ...variant, runId: chatId + run, chatId, state });
    }),
  fc
    .record({
      userMessageId: name,
      branchId: branchName,
      run: runName,
      operationId: name,
      fencingToken: fc.nat(3),
      content: fc.string(),
      isRequired: fc.boolean(),
      kind: fc.nat(3),
      heads: fc.array(runName, { maxLength: 1 }),
      value: fc.option(json, { nil: undefined }),
      append: fc.constantFrom(true, undefined),
    })
    .map((of): ChatCall => {
      const { run, operationId, content, isRequired, kind, heads, value, append, ...rest } = of;
      return (chat, chatId) => {
        const all = [
          { type: "turn.user_variant" as const, content, select: true },
          { type: "turn.assistant_variant" as const, content, select: true },
          { type: "turn.assistant_blocks" as const, blocks: [content] },
          { type: "turn.assistant_meta" as const, meta: { [content]: 1 } },
        ];
        const written = { tag: "t", persisted: true, usage: "internal", semantics: "x" } as const;
        const write = { value: { ...written, value, append }, version: 1 };
        const effects = all.slice(kind, kind + 2);
        const operation = { operationId, effects, isRequired };
        return chat.commitTurn({
          ...rest,
          runId: chatId + run,
          hook: "after_main_llm",
          chatId,
          operations: [value === undefined ? operation : { ...operation, write }],
          writtenAt: 7,
          state: stateOf(chatId, run, heads),
        });
      };
    }),
  fc
    .record({ branchId: branchName, before: fc.option(name, { nil: undefined }) })
    .map((at): ChatCall => async (chat, chatId) => {
      const { heads, shown, hidden } = await chat.keptState({ ...at, chatId, session: "s" });
      return { heads, shown, hidden: hidden.map((kept) => JSON.stringify(kept)).sort() };
    }),
  fc.record({ branchId: branchName, userMessageId: name, newBranchId: branchName }).map(
    (fork): ChatCall =>
      (chat, chatId) =>
        chat.fork({ ...fork, chatId }),
  ),
  fc
    .record({ branchId: branchName, to: branchName })
    .map(({ branchId, to }): ChatCall => async (chat, chatId) => {
      const turns = await chat.turns({ chatId, branchId });
      await chat.importTurns({ chatId, branchId: to, turns });
    }),
  fc.record({ branchId: branchName, from: name, to: fc.option(name, { nil: undefined }) }).map(
    (range): ChatCall =>
      (chat, chatId) =>
        chat.deleteTurns({ ...range, chatId }),
  ),
  runName.map((run): ChatCall => async (chat, chatId) => {
    const writes = await chat.writesOf(chatId + run);
    return writes.map((kept) => JSON.stringify(kept)).sort();
  }),
  fc.constant<ChatCall>(async (chat, chatId) => chat.turns({ chatId, branchId: "m" })),
);

type ProfileCall = (profiles: ProfileStore, scope: string) => Promise<unknown>;

const profileCall: fc.Arbitrary<ProfileCall> = fc.oneof(
  fc
    .record({ id: name, text: fc.string(), expected: fc.option(fc.nat(3)) })
    .map(({ id, text, expected }): ProfileCall => (profiles, scope) => {
      const profile = {
        profileId: scope + id,
        name: text,
        enabled: true,
        operationProfileSessionId: "1",
        operations: [],
      };
      return profiles.save(profile, expected === null ? {} : { expectedVersion: expected });
    }),
  name.map(
    (id): ProfileCall =>
      (profiles, scope) =>
        profiles.load(scope + id),
  ),
  fc
    .record({ id: name, limit: fc.integer({ min: 1, max: 4 }) })
    .map(({ id, limit }): ProfileCall => async (profiles, scope) => {
      const page = await profiles.list({ cursor: scope + id, limit });
      return page.profileIds.filter((profileId) => profileId.startsWith(scope));
    }),
);

const { numRuns: runs = 200 } = fc.readConfigureGlobal();

describe.each(databaseKinds)("stores on %s answer like those in memory", (kind) => {
  let database: TestDatabase;
  let stores: OperationStores;
  let count = 0;
  // Scopes come in order, so that one run's ids stand after those of all before.
  const nextScope = (): string => `s${String((count += 1)).padStart(8, "0")}-`;
  const numRuns = kind === "SQLite" ? runs : Math.ceil(runs / 8);
  beforeAll(async () => {
    database = await openTestDatabase(kind, "same_as_memory");
    stores = await database.open();
  });
  afterAll(async () => {
    await stores.close();
    await database.close();
  });

  it("for any runs", async () => {
    const property = fc.asyncProperty(
      fc.array(runCall, { minLength: 5, maxLength: 25 }),
      async (calls) => {
        const scope = nextScope();
        const memory = { runs: createMemoryRunStore(), leases: [], scope, nowMs: 0 };
        const stored = { runs: stores.runs, leases: [], scope, nowMs: 0 };
        for (const call of calls) {
          const expected = withoutTokens(await outcomeOf(call(memory)));
          expect(withoutTokens(await outcomeOf(call(stored)))).toEqual(expected);
        }
      },
    );
    await fc.assert(property, { numRuns });
  });

  async function check<Store>(
    anyCall: fc.Arbitrary<(store: Store, scope: string) => Promise<unknown>>,
    open: { memory(): Store; stored(): Store },
  ): Promise<void> {
    const property = fc.asyncProperty(
      fc.array(anyCall, { minLength: 5, maxLength: 25 }),
      async (calls) => {
        const scope = nextScope();
        const memory = open.memory();
        for (const call of calls) {
          const expected = await outcomeOf(call(memory, scope));
          expect(await outcomeOf(call(open.stored(), scope))).toEqual(expected);
        }
      },
    );
    await fc.assert(property, { numRuns });
  }

  it("for any chats", async () => {
    expect(
      await check(chatCall, { memory: () => createMemoryChatStore(), stored: () => stores.chat }),
    ).toBeUndefined();
  });
  it("for any profiles", async () => {
    expect(
      await check(profileCall, {
        memory: () => createProfileStore(),
        stored: () => stores.profiles,
      }),
    ).toBeUndefined();
  });
});
