import type { ConformanceHooks } from "@ccl/core/conformance";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { conversationStoreConformance } from "../../test-support/chat-store-conformance.ts";
import { writtenChat } from "../../test-support/written-chat.ts";
import type { RunEvent, RunResult } from "../events/run-event.ts";
import type { NewRun, RunLease } from "../ports/run-store.ts";
import type { OperationStores } from "./create-operation-stores.ts";
import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";
import { runStoreConformance } from "../../test-support/run-store-conformance.ts";

function newRun(runId: string, more: Partial<NewRun["input"]> & { request?: string } = {}): NewRun {
  const { request, ...fields } = more;
  const ids = { runId, chatId: "c", branchId: runId, userMessageId: "u", assistantVariantId: "v" };
  const clientRequest =
    request === undefined
      ? undefined
      : { clientRequestId: request, payloadHash: "h", keptUntilMs: 1_000 };
  return {
    input: { ...ids, formatVersion: 1, trigger: "generate", startedAt: 1, ...fields },
    lease: { owner: "w", ttlMs: 10, nowMs: 0 },
    clientRequest,
  };
}

function eventsOf(runId: string, from: number, count: number): RunEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    runId,
    chatId: "c",
    branchId: runId,
    userMessageId: "u",
    trigger: "generate",
    seq: from + index,
    epoch: 1,
    ts: 1,
    type: "run.started",
  }));
}

const result: RunResult = {
  formatVersion: 1,
  runId: "r",
  status: "done",
  startedAt: 1,
  finishedAt: 2,
  durationMs: 1,
  operationRuns: [],
  mainLlm: { executed: false },
  commitLog: [],
  artifacts: [],
};

describe.each(databaseKinds)("operation stores on %s", (kind) => {
  let database: TestDatabase;
  let stores: OperationStores;
  let second: OperationStores;
  beforeAll(async () => {
    database = await openTestDatabase(kind, "stores");
    [stores, second] = await Promise.all([database.open(), database.open()]);
  });
  afterAll(async () => {
    await Promise.all([stores.close(), second.close()]);
    await database.close();
  });

  async function leaseOf(run: NewRun): Promise<RunLease> {
    const made = await stores.runs.createRun(run);
    if (made.status !== "created") throw new Error(`The run was not made: ${made.status}.`);
    return made.lease;
  }

  const kitOf = <Store>(pick: (of: OperationStores) => Store): ConformanceHooks<Store> => ({
    async open() {
      await database.empty();
      return pick(stores);
    },
    openSecond: async () => pick(second),
  });

  describe("keep the contract of", () => {
    const kits = [
      ...runStoreConformance(kitOf(({ runs }) => runs)).map((rule) => ({ ...rule, store: "runs" })),
      ...conversationStoreConformance(kitOf(writtenChat)).map((rule) => ({
        ...rule,
        store: "chats",
      })),
    ];
    it.each(kits)("$store: $name", async ({ run }) => expect(await run()).toBeUndefined());
  });

  it("makes one run of many requests with the same id, whichever worker they reach", async () => {
    const starts = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? stores : second).runs.createRun(
        newRun(`n${index}`, { chatId: "same", branchId: "m", request: "q" }),
      ),
    );
    const made = await Promise.all(starts);
    const created = made.flatMap((creation) =>
      creation.status === "created" ? [creation.lease.runId] : [],
    );
    expect(created).toHaveLength(1);
    expect(
      made.filter((creation) => creation.status === "duplicate" && creation.runId === created[0]),
    ).toHaveLength(39);
  });

  it("gives a branch to one run of many, and to the next once that has ended", async () => {
    const branch = { chatId: "busy", branchId: "m" };
    const starts = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? stores : second).runs.createRun(newRun(`b${index}`, branch)),
    );
    const made = await Promise.all(starts);
    const [lease, ...others] = made.flatMap((creation) =>
      creation.status === "created" ? [creation.lease] : [],
    );
    expect(others).toEqual([]);
    expect(made.filter(({ status }) => status === "active")).toHaveLength(19);
    if (lease === undefined) return;
    await stores.runs.append({ ...lease, events: eventsOf(lease.runId, 1, 1), steps: [], result });
    expect(await second.runs.createRun(newRun("next", branch))).toMatchObject({
      status: "created",
    });
  });

  it("gives a free lease to one of many workers", async () => {
    const first = await leaseOf(newRun("wanted"));
    const request = { owner: "other", ttlMs: 10, nowMs: 10 };
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? stores : second).runs.acquireLease("wanted", request),
      ),
    );
    const given = taken.filter((lease) => lease !== undefined);
    expect(given).toHaveLength(1);
    expect(given[0]?.fencingToken).toBeGreaterThan(first.fencingToken);
  });

  it("refuses a worker whose lease another has, in the chat as well, before that one has written there", async () => {
    const run = newRun("fenced", { branchId: "m", userMessage: "hi" });
    const stale = await leaseOf(run);
    const at = { chatId: "c", branchId: "m", userMessageId: "u" };
    const write = {
      tag: "t",
      persisted: true,
      usage: "internal",
      semantics: "state",
      value: 1,
    } as const;
    const commit = {
      ...at,
      runId: "fenced",
      writtenAt: 1,
      hook: "before_main_llm",
      operations: [{ operationId: "o", effects: [], write: { value: write, version: 1 } }],
      state: { runId: "fenced", session: "s", heads: {} },
    } as const;
    const answer = { ...at, runId: "fenced", assistantVariantId: "v", text: "a", partial: false };
    const fresh = await second.runs.acquireLease("fenced", {
      owner: "other",
      ttlMs: 10,
      nowMs: 10,
    });
    const entries = { events: eventsOf("fenced", 1, 1), steps: [] };
    for (const added of [{ commit }, { answer }, {}])
      expect(await stores.runs.append({ ...stale, ...entries, ...added })).toEqual({
        status: "stale_lease",
      });
    expect(await shown()).toEqual({ kept: [], answers: [] });
    expect(await stores.runs.renewLease(stale, { ttlMs: 10, nowMs: 10 })).toEqual({
      status: "lost",
    });
    if (fresh === undefined) throw new Error("The lease was free.");
    await second.runs.append({ ...fresh, ...entries, commit });
    expect(await shown()).toEqual({ kept: [1], answers: [] });

    async function shown(): Promise<{ kept: unknown[]; answers: unknown[] }> {
      const [turn] = await stores.chat.turns(at);
      const state = await stores.chat.keptState({ ...at, session: "s" });
      return {
        kept: state.shown.map((one) => one.write.value),
        answers: turn?.assistantVariants.map(({ content }) => content) ?? [],
      };
    }
  });

  it("writes what waits at the same moment in a handful of transactions", async () => {
    const leases = await Promise.all(
      Array.from({ length: 200 }, (_, index) => leaseOf(newRun(`g${index}`))),
    );
    database.countCommits();
    const outcomes = await Promise.all(
      leases.map((lease) =>
        stores.runs.append({ ...lease, events: eventsOf(lease.runId, 1, 3), steps: [] }),
      ),
    );
    expect(outcomes).toEqual(leases.map(() => ({ status: "appended" })));
    expect(database.countCommits()).toBeLessThanOrEqual(kind === "SQLite" ? 1 : 3);
    expect((await stores.runs.loadRun("g199"))?.lastSeq).toBe(3);
  });

  it("writes the others where one of those that wait can't be written", async () => {
    const [good, bad] = [await leaseOf(newRun("good")), await leaseOf(newRun("bad"))];
    const append = (lease: RunLease, from: number): Promise<unknown> =>
      stores.runs.append({ ...lease, events: eventsOf(lease.runId, from, 1), steps: [] });
    const outcomes = await Promise.allSettled([
      append(bad, 5),
      append(good, 1),
      stores.runs.acquireLease("none", { owner: "w", ttlMs: 1, nowMs: 0 }),
    ]);
    expect(outcomes).toMatchObject([
      { status: "rejected", reason: { code: "conflict" } },
      { status: "fulfilled", value: { status: "appended" } },
      { status: "rejected", reason: { code: "unknown_run" } },
    ]);
  });

  it("pages through long runs without a gap", async () => {
    const lease = await leaseOf(newRun("long"));
    await stores.runs.append({ ...lease, events: eventsOf("long", 1, 700), steps: [] });
    await stores.runs.append({ ...lease, events: eventsOf("long", 701, 7), steps: [] });
    for (const limit of [1, 255, 256, 257, 1_000]) {
      const seen: number[] = [];
      for (let at = limit === 1 ? 690 : 0; at < 707; at = seen.at(-1) ?? at) {
        seen.push(
          ...(await stores.runs.readEvents("long", { afterSeq: at, limit })).map(({ seq }) => seq),
        );
      }
      expect(seen).toEqual(
        Array.from({ length: seen.length }, (_, index) => 707 - seen.length + 1 + index),
      );
    }
    expect(await stores.runs.readEvents("long", { afterSeq: 707 })).toEqual([]);
  });

  it("says which stored text is damaged", async () => {
    await leaseOf(newRun("broken"));
    await database.exec(
      "UPDATE ccl_records SET value = replace(value, 'generate', 'regenerate') WHERE key = 'r operations/input/broken'",
    );
    await expect(stores.runs.loadRun("broken")).rejects.toMatchObject({
      code: "damaged",
      message: /operations\/input\/broken/,
    });
  });

  it("lets writes under way end as it closes, and refuses later ones", async () => {
    const own = await database.open();
    const made = own.runs.createRun(newRun("closing"));
    await Promise.all([own.close(), own.close()]);
    expect(await made).toMatchObject({ status: "created" });
    await expect(own.runs.loadRun("closing")).rejects.toMatchObject({ code: "closed" });
    expect((await stores.runs.loadRun("closing"))?.input.runId).toBe("closing");
  });

  it("does nothing for a call that is aborted while it waits", async () => {
    const abort = new AbortController();
    const waiting = stores.runs.createRun(newRun("never"), { signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    expect(await stores.runs.loadRun("never")).toBeUndefined();
  });
});
