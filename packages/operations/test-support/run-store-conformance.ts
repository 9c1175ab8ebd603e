import { type ConformanceRule, bindRules, type ConformanceHooks } from "@ccl/core/conformance";

import { createRunStore } from "../src/stores/create-run-store.ts";
import type { AnswerStep, ListRunsOptions, RunStore } from "../src/ports/run-store.ts";
import { append, created, events, newRun, resultOf, step, ttlMs } from "./run-records.ts";
import { type ScriptRule, rulesOfScripts } from "./script-rules.ts";
import { aborted, type Page, pagesOf } from "./store-rules.ts";
import { withoutTokens, withoutWinner } from "./comparable-runs.ts";
import { oddIds, oddValue } from "./odd-values.ts";

const creationRules: readonly ScriptRule<RunStore>[] = [
  {
    name: "a run comes back as it was made",
    async script(store) {
      const profile = {
        profileId: "p",
        name: "P",
        enabled: true,
        operationProfileSessionId: "s",
        operations: [],
      };
      const userMessage = [{ type: "text" as const, text: "ой" }];
      await store.createRun(newRun("r", { userMessage, profile, initiator: "i", deadlineMs: 99 }));
      await store.loadRun("r");
      await store.loadRun("other");
    },
  },
  {
    name: "a branch has one unfinished run, and tokens rise from run to run",
    async script(store, { record }) {
      const lease = await created(store, newRun("r1", { branchId: "b" }));
      await store.createRun(newRun("r2", { branchId: "b" }));
      await store.loadRun("r2");
      await store.createRun(newRun("r3", { branchId: "b", chatId: "other" }));
      await store.append(append(lease, { result: resultOf("r1") }));
      const next = await created(store, newRun("r4", { branchId: "b" }));
      record(next.fencingToken > lease.fencingToken);
    },
  },
  {
    name: "of runs made for a branch at the same time one is made",
    comparable: withoutWinner,
    script: (store) => createFive(store, { branchId: "b" }),
  },
  {
    name: "a request id gives its run again, also after the end, until its time is over",
    async script(store) {
      const lease = await created(store, newRun("r1", { branchId: "b", requestId: "q" }));
      const again = newRun("r2", { branchId: "b", requestId: "q", nowMs: 499 });
      await store.createRun(again);
      await store.append(append(lease, { result: resultOf("r1") }));
      await store.createRun(again);
      const other = newRun("r2", { branchId: "b", requestId: "q", payload: "other", nowMs: 499 });
      await store.createRun(other);
      await store.createRun({ ...other, lease: { ...other.lease, nowMs: 500 } });
    },
  },
  {
    name: "request ids are those of a branch, and a refused run leaves none behind",
    async script(store) {
      await created(store, newRun("r1", { branchId: "b", requestId: "q" }));
      await store.createRun(newRun("r2", { branchId: "other", requestId: "q" }));
      await store.createRun(newRun("r3", { branchId: "b", requestId: "new" }));
      await store.createRun(newRun("r4", { branchId: "b", requestId: "new", payload: "x" }));
    },
  },
  {
    name: "of the same request many times at once one run is made",
    comparable: withoutWinner,
    script: (store) => createFive(store, { branchId: "b", requestId: "q" }),
  },
];

async function createFive(store: RunStore, of: Parameters<typeof newRun>[1]): Promise<void> {
  const ids = ["r1", "r2", "r3", "r4", "r5"];
  await Promise.all(ids.map((id) => store.createRun(newRun(id, of))));
}

const leaseRules: readonly ScriptRule<RunStore>[] = [
  {
    name: "a lease is held until it ends or is given back, and tokens rise",
    async script(store) {
      const first = await created(store, newRun("r1"));
      await created(store, newRun("r2"));
      const request = { owner: "x", ttlMs, nowMs: ttlMs - 1 };
      await store.acquireLease("r1", request);
      await store.acquireLease("r1", { ...request, owner: "w" });
      const taken = await store.acquireLease("r1", { ...request, nowMs: ttlMs });
      await store.releaseLease(first);
      await store.acquireLease("r1", { ...request, nowMs: ttlMs });
      if (taken !== undefined) await store.releaseLease(taken);
      await store.acquireLease("r1", { ...request, nowMs: ttlMs });
      await store.acquireLease("none", request);
    },
  },
  {
    name: "of workers that want a lease at the same time one gets it",
    async script(store, { raw, record }) {
      await created(store, newRun("r"));
      const request = { ttlMs, nowMs: 5_000 };
      const owners = ["a", "b", "c", "d"];
      const all = await Promise.all(
        owners.map((owner) => raw.acquireLease("r", { ...request, owner })),
      );
      record(all.filter((lease) => lease !== undefined).length);
    },
  },
  {
    name: "a lease is renewed, late ones too, unless another was given out",
    async script(store) {
      const lease = await created(store, newRun("r"));
      await store.renewLease(lease, { ttlMs, nowMs: 1_500 });
      await store.acquireLease("r", { owner: "x", ttlMs, nowMs: 2_499 });
      await store.acquireLease("r", { owner: "x", ttlMs, nowMs: 2_500 });
      await store.renewLease(lease, { ttlMs, nowMs: 2_500 });
    },
  },
  {
    name: "a request to abort is seen by the worker, the first stays, and an ended run has none",
    async script(store) {
      const lease = await created(store, newRun("r"));
      await store.requestAbort("r", { reason: "one" });
      await store.requestAbort("r", { reason: "two" });
      await store.renewLease(lease, { ttlMs, nowMs: 1 });
      await store.loadRun("r");
      await store.append(append(lease, { result: resultOf("r") }));
      await store.requestAbort("r", {});
      await store.requestAbort("none", {});
    },
  },
  {
    name: "an append under an old token is refused whole",
    async script(store) {
      const old = await created(store, newRun("r"));
      const taken = await store.acquireLease("r", { owner: "x", ttlMs, nowMs: ttlMs });
      const late = { events: events("r", [1]), steps: [step("a", 1)], result: resultOf("r") };
      await store.append(append(old, late));
      await store.loadRun("r");
      await store.append(append(taken ?? old, { events: events("r", [1], 2) }));
    },
  },
];

const appendRules: readonly ScriptRule<RunStore>[] = [
  {
    name: "events and steps come back in order, as they were",
    async script(store) {
      const lease = await created(store, newRun("r"));
      const steps = [step("b", 1, oddValue), step("a", 1), step("a", 2)];
      await store.append(append(lease, { events: events("r", [1, 2]), steps: steps.slice(0, 2) }));
      await store.append(append(lease, { events: events("r", [3]), steps: steps.slice(2) }));
      await store.loadRun("r");
      await store.readEvents("r");
      await store.readEvents("r", { afterSeq: 1, limit: 1 });
      await store.readEvents("r", { afterSeq: 3 });
      await store.readEvents("none");
      await store.readEvents("r", { limit: 0 });
    },
  },
  {
    name: "events are read after a whole number of 0 or more",
    async script(store) {
      const lease = await created(store, newRun("r"));
      await store.append(append(lease, { events: events("r", [1, 2, 3]) }));
      for (const afterSeq of [0, -1, 0.5, Number.NaN, Infinity])
        await store.readEvents("r", { afterSeq });
    },
  },
  {
    name: "an append that comes twice counts once",
    async script(store) {
      const lease = await created(store, newRun("r"));
      const one = append(lease, { events: events("r", [1, 2]), steps: [step("a", 1)] });
      const last = append(lease, { events: events("r", [4]), result: resultOf("r") });
      for (const next of [one, one, append(lease, { events: events("r", [2, 3]) })])
        await store.append(next);
      await store.readEvents("r");
      await store.loadRun("r");
      await store.append(last);
      await store.append(last);
    },
  },
  {
    name: "events with a gap are refused whole",
    async script(store) {
      const lease = await created(store, newRun("r"));
      await store.append(append(lease, { events: events("r", [2]), steps: [step("a", 1)] }));
      await store.loadRun("r");
    },
  },
  {
    name: "of steps of one operation and attempt the first stays",
    async script(store) {
      const lease = await created(store, newRun("r"));
      await store.append(append(lease, { steps: [step("a", 1, "first")] }));
      const steps = [step("a", 1, "second"), step("a", 2, "third")];
      await store.append(append(lease, { steps }));
      await store.loadRun("r");
    },
  },
  {
    name: "a run with a result has ended: no lease, no more events, its branch free",
    async script(store) {
      const lease = await created(store, newRun("r"));
      await store.append(append(lease, { events: events("r", [1]), result: resultOf("r") }));
      await store.loadRun("r");
      await store.acquireLease("r", { owner: "x", ttlMs, nowMs: 9_999 });
      await store.renewLease(lease, { ttlMs, nowMs: 1 });
      await store.append(append(lease, { events: events("r", [2]) }));
      await store.readEvents("r");
    },
  },
  {
    name: "unfinished runs are listed in the order of code units, page by page",
    async script(store, { raw, record }) {
      for (const id of oddIds) await created(store, newRun(id));
      const ended = await created(store, newRun("ended"));
      await store.append(append(ended, { result: resultOf("ended") }));
      record(await pagesOf(3, (page) => listRuns(raw, page)));
    },
  },
  {
    name: "ended runs are listed too where all are asked for, the newest first, with their leases",
    async script(store, { raw, record }) {
      const leases = [];
      for (const id of ["r1", "r2", "r3", "r4", "r5"])
        leases.push(await created(store, newRun(id)));
      for (const lease of leases.slice(1, 3))
        await store.append(append(lease, { result: resultOf(lease.runId) }));
      record(await pagesOf(2, (page) => listRuns(raw, { ...page, all: true })));
      await store.listRuns();
    },
  },
  {
    name: "an answer is kept among the steps without a lease, the first stays and a second is refused, as by an ended run",
    async script(store) {
      const lease = await created(store, newRun("r"));
      const given = (operationId: string, value: unknown): AnswerStep => {
        return { kind: "answer", hook: "before_main_llm", operationId, value };
      };
      await store.append(append(lease, { steps: [step("a", 1)] }));
      await store.answer("r", given("a", oddValue));
      await store.answer("r", given("a", "second"));
      await store.answer("r", given("b", null));
      await store.loadRun("r");
      await store.append(append(lease, { result: resultOf("r") }));
      await store.answer("r", given("c", 1));
      await store.loadRun("r");
      await store.answer("none", given("a", 1));
    },
  },
  {
    name: "a call whose signal is aborted changes nothing",
    async script(store) {
      await store.createRun(newRun("r"), aborted());
      await store.loadRun("r");
      const lease = await created(store, newRun("r"));
      await store.append(append(lease, { events: events("r", [1]) }), aborted());
      await store.readEvents("r");
    },
  },
  {
    name: "another handle sees the run, waits for its lease, and fences the first one off",
    needs: "openSecond",
    async script(store, { second: openSecond }) {
      const second = await openSecond();
      const lease = await created(store, newRun("r", { branchId: "b", requestId: "q" }));
      const steps = [step("a", 1, oddValue)];
      await store.append(append(lease, { events: events("r", [1]), steps }));
      await second.createRun(newRun("r2", { branchId: "b" }));
      await second.createRun(newRun("r2", { branchId: "b", requestId: "q" }));
      await second.acquireLease("r", { owner: "x", ttlMs, nowMs: ttlMs - 1 });
      await second.acquireLease("r", { owner: "x", ttlMs, nowMs: ttlMs });
      await store.append(append(lease, { events: events("r", [2]) }));
      await second.loadRun("r");
    },
  },
];

const pruneRules: readonly ScriptRule<RunStore>[] = [
  {
    name: "pruning deletes the runs that ended before a time, oldest first, with all that is theirs",
    async script(store) {
      const finish = async (runId: string, finishedAt: number): Promise<void> => {
        const lease = await created(store, newRun(runId));
        const result = { ...resultOf(runId), finishedAt };
        const added = { events: events(runId, [1]), steps: [step("a", 1)], result };
        await store.append(append(lease, added));
      };
      const ends = { late: 30, first: 10, second: 20, edge: 25 };
      const look = async (): Promise<void> => {
        for (const id of [...Object.keys(ends), "open"]) await store.loadRun(id);
      };
      for (const [runId, finishedAt] of Object.entries(ends)) await finish(runId, finishedAt);
      await created(store, newRun("open"));
      await store.prune({ endedBeforeMs: 25, nowMs: 100, limit: 1 });
      await look();
      await store.prune({ endedBeforeMs: 25, nowMs: 100 });
      await store.prune({ endedBeforeMs: 25, nowMs: 100 });
      await look();
      await store.readEvents("first");
      await store.readEvents("late");
      await finish("first", 40);
      await store.prune({ endedBeforeMs: 1_000, nowMs: 100, ...aborted() });
      await look();
    },
  },
  {
    name: "pruning keeps the run of a remembered request, and forgets the request with the run",
    async script(store) {
      const lease = await created(store, newRun("r1", { branchId: "b", requestId: "q" }));
      await store.append(append(lease, { result: resultOf("r1") }));
      await store.prune({ endedBeforeMs: 1_000, nowMs: 499 });
      const again = newRun("r2", { branchId: "b", requestId: "q", nowMs: 499 });
      await store.createRun(again);
      await store.prune({ endedBeforeMs: 1_000, nowMs: 500 });
      await store.createRun(again);
    },
  },
];

async function listRuns(store: RunStore, options: ListRunsOptions): Promise<Page> {
  const { runs, cursor } = await store.listRuns(options);
  return { items: runs, cursor };
}

/** The contract of run stores, as scripts. */
export const runStoreScripts: readonly ScriptRule<RunStore>[] = [
  ...creationRules,
  ...leaseRules,
  ...appendRules,
  ...pruneRules,
].map((rule) => ({ comparable: withoutTokens, ...rule }));

/** The contract of run stores, for any test runner. */
export function runStoreConformance(options: ConformanceHooks<RunStore>): ConformanceRule[] {
  return bindRules(rulesOfScripts(runStoreScripts, createRunStore), options);
}
