import { OperationsError } from "../operations-error.ts";
import {
  type ConformanceRule,
  bindRules,
  type KitRule,
  type ConformanceHooks,
  rejectsWith,
} from "@ccl/core/conformance";
import assert from "node:assert/strict";

import type { AnswerStep } from "../ports/run-step.ts";
import type { RunStore } from "../ports/run-store.ts";
import { aborted, assertSame, oddIds, oddValue } from "./store-rules.ts";
import { append, created, events, newRun, resultOf, seqsOf, step, ttlMs } from "./run-records.ts";
import { pruneRules } from "./prune-rules.ts";

const creationRules: readonly KitRule<RunStore>[] = [
  {
    name: "a run comes back as it was made",
    async check(store) {
      const profile = {
        profileId: "p",
        name: "P",
        enabled: true,
        operationProfileSessionId: "s",
        operations: [],
      };
      const run = newRun("r", {
        userMessage: [{ type: "text", text: "ой" }],
        profile,
        initiator: "i",
        deadlineMs: 99,
      });
      const lease = await created(store, run);
      assertSame(lease, {
        runId: "r",
        owner: "w",
        fencingToken: lease.fencingToken,
        expiresAtMs: ttlMs,
      });
      assertSame(await store.loadRun("r"), {
        input: run.input,
        steps: [],
        lastSeq: 0,
        lease,
      });
      assert.equal(await store.loadRun("other"), undefined);
    },
  },
  {
    name: "a branch has one unfinished run",
    async check(store) {
      const lease = await created(store, newRun("r1", { branchId: "b" }));
      assertSame(await store.createRun(newRun("r2", { branchId: "b" })), {
        status: "active",
        runId: "r1",
      });
      assert.equal(await store.loadRun("r2"), undefined);
      assert.equal(
        (await store.createRun(newRun("r3", { branchId: "b", chatId: "other" }))).status,
        "created",
      );
      await store.append([append(lease, { result: resultOf("r1") })]);
      assert.equal((await store.createRun(newRun("r4", { branchId: "b" }))).status, "created");
    },
  },
  {
    name: "of runs made for a branch at the same time one is made",
    async check(store) {
      const ids = ["r1", "r2", "r3", "r4", "r5"];
      const all = await Promise.all(
        ids.map((id) => store.createRun(newRun(id, { branchId: "b" }))),
      );
      const winners = ids.filter((_, at) => all[at]?.status === "created");
      assert.equal(winners.length, 1);
      for (const creation of all)
        if (creation.status !== "created")
          assertSame(creation, { status: "active", runId: winners[0] });
    },
  },
  {
    name: "a request id gives its run again, also after the end, until its time is over",
    async check(store) {
      const lease = await created(store, newRun("r1", { branchId: "b", requestId: "q" }));
      const again = newRun("r2", { branchId: "b", requestId: "q", nowMs: 499 });
      assertSame(await store.createRun(again), { status: "duplicate", runId: "r1" });
      await store.append([append(lease, { result: resultOf("r1") })]);
      assertSame(await store.createRun(again), { status: "duplicate", runId: "r1" });
      const other = newRun("r2", { branchId: "b", requestId: "q", payload: "other", nowMs: 499 });
      assertSame(await store.createRun(other), { status: "payload_conflict", runId: "r1" });
      assert.equal(
        (await store.createRun({ ...other, lease: { ...other.lease, nowMs: 500 } })).status,
        "created",
      );
    },
  },
  {
    name: "request ids are those of a branch, and a refused run leaves none behind",
    async check(store) {
      await created(store, newRun("r1", { branchId: "b", requestId: "q" }));
      assert.equal(
        (await store.createRun(newRun("r2", { branchId: "other", requestId: "q" }))).status,
        "created",
      );
      assert.equal(
        (await store.createRun(newRun("r3", { branchId: "b", requestId: "new" }))).status,
        "active",
      );
      assert.equal(
        (await store.createRun(newRun("r4", { branchId: "b", requestId: "new", payload: "x" })))
          .status,
        "active",
      );
    },
  },
  {
    name: "of the same request many times at once one run is made",
    async check(store) {
      const ids = ["r1", "r2", "r3", "r4", "r5"];
      const all = await Promise.all(
        ids.map((id) => store.createRun(newRun(id, { branchId: "b", requestId: "q" }))),
      );
      const winner = ids.find((_, at) => all[at]?.status === "created");
      for (const creation of all)
        if (creation.status !== "created")
          assertSame(creation, { status: "duplicate", runId: winner });
    },
  },
];

const leaseRules: readonly KitRule<RunStore>[] = [
  {
    name: "a lease is held until it ends or is given back, and tokens rise over all runs",
    async check(store) {
      const first = await created(store, newRun("r1"));
      const second = await created(store, newRun("r2"));
      assert.ok(
        first.fencingToken >= 1 && second.fencingToken > first.fencingToken,
        "tokens do not rise",
      );
      const request = { owner: "x", ttlMs, nowMs: ttlMs - 1 };
      assert.equal(await store.acquireLease("r1", request), undefined);
      assert.equal(await store.acquireLease("r1", { ...request, owner: "w" }), undefined);
      const taken = await store.acquireLease("r1", { ...request, nowMs: ttlMs });
      assert.ok(
        taken !== undefined && taken.fencingToken > second.fencingToken,
        "the new token is not higher",
      );
      await store.releaseLease(first);
      assert.equal(await store.acquireLease("r1", { ...request, nowMs: ttlMs }), undefined);
      await store.releaseLease(taken);
      assert.ok((await store.acquireLease("r1", { ...request, nowMs: ttlMs })) !== undefined);
      await rejectsWith(OperationsError, "unknown_run", () => store.acquireLease("none", request));
    },
  },
  {
    name: "of workers that want a lease at the same time one gets it",
    async check(store) {
      await created(store, newRun("r"));
      const request = { ttlMs, nowMs: 5_000 };
      const all = await Promise.all(
        ["a", "b", "c", "d"].map((owner) => store.acquireLease("r", { ...request, owner })),
      );
      assert.equal(all.filter((lease) => lease !== undefined).length, 1);
    },
  },
  {
    name: "a lease is renewed, late ones too, unless another was given out",
    async check(store) {
      const lease = await created(store, newRun("r"));
      const renewal = await store.renewLease(lease, { ttlMs, nowMs: 1_500 });
      assertSame(renewal, { status: "renewed", lease: { ...lease, expiresAtMs: 2_500 } });
      assert.equal(await store.acquireLease("r", { owner: "x", ttlMs, nowMs: 2_499 }), undefined);
      await store.acquireLease("r", { owner: "x", ttlMs, nowMs: 2_500 });
      assertSame(await store.renewLease(lease, { ttlMs, nowMs: 2_500 }), { status: "lost" });
    },
  },
  {
    name: "a request to abort is seen by the worker, the first stays, and an ended run has none",
    async check(store) {
      const lease = await created(store, newRun("r"));
      assert.equal(await store.requestAbort("r", { reason: "one" }), true);
      assert.equal(await store.requestAbort("r", { reason: "two" }), true);
      const renewal = await store.renewLease(lease, { ttlMs, nowMs: 1 });
      assertSame(renewal.status === "renewed" && renewal.abort, { reason: "one" });
      assertSame((await store.loadRun("r"))?.abort, { reason: "one" });
      await store.append([append(lease, { result: resultOf("r") })]);
      assert.equal(await store.requestAbort("r", {}), false);
      await rejectsWith(OperationsError, "unknown_run", () => store.requestAbort("none", {}));
    },
  },
  {
    name: "an append under an old token is refused whole",
    async check(store) {
      const old = await created(store, newRun("r"));
      const taken = await store.acquireLease("r", { owner: "x", ttlMs, nowMs: ttlMs });
      assert.ok(taken !== undefined);
      const late = append(old, {
        events: events("r", [1]),
        steps: [step("a", 1)],
        result: resultOf("r"),
      });
      assertSame(await store.append([late]), ["stale_lease"]);
      const stored = await store.loadRun("r");
      assertSame([stored?.lastSeq, stored?.steps, stored?.result], [0, [], undefined]);
      assertSame(await store.append([append(taken, { events: events("r", [1], 2) })]), [
        "appended",
      ]);
    },
  },
];

const appendRules: readonly KitRule<RunStore>[] = [
  {
    name: "events and steps come back in order, as they were",
    async check(store) {
      const lease = await created(store, newRun("r"));
      const steps = [step("b", 1, oddValue), step("a", 1), step("a", 2)];
      await store.append([
        append(lease, { events: events("r", [1, 2]), steps: steps.slice(0, 2) }),
      ]);
      await store.append([append(lease, { events: events("r", [3]), steps: steps.slice(2) })]);
      assertSame((await store.loadRun("r"))?.steps, steps);
      assertSame(await store.readEvents("r"), events("r", [1, 2, 3]));
      assertSame(seqsOf(await store.readEvents("r", { afterSeq: 1, limit: 1 })), [2]);
      assertSame(await store.readEvents("r", { afterSeq: 3 }), []);
      await rejectsWith(OperationsError, "unknown_run", () => store.readEvents("none"));
      await rejectsWith(OperationsError, "invalid_options", () =>
        store.readEvents("r", { limit: 0 }),
      );
    },
  },
  {
    name: "events are read after a whole number of 0 or more",
    async check(store) {
      const lease = await created(store, newRun("r"));
      await store.append([append(lease, { events: events("r", [1, 2, 3]) })]);
      assertSame(seqsOf(await store.readEvents("r", { afterSeq: 0 })), [1, 2, 3]);
      for (const afterSeq of [-1, 0.5, Number.NaN, Infinity])
        await rejectsWith(OperationsError, "invalid_options", () =>
          store.readEvents("r", { afterSeq }),
        );
    },
  },
  {
    name: "an append that comes twice counts once",
    async check(store) {
      const lease = await created(store, newRun("r"));
      const one = append(lease, { events: events("r", [1, 2]), steps: [step("a", 1)] });
      assertSame(await store.append([one]), ["appended"]);
      assertSame(await store.append([one]), ["appended"]);
      assertSame(await store.append([append(lease, { events: events("r", [2, 3]) })]), [
        "appended",
      ]);
      assertSame(seqsOf(await store.readEvents("r")), [1, 2, 3]);
      assert.equal((await store.loadRun("r"))?.steps.length, 1);
      const last = append(lease, { events: events("r", [4]), result: resultOf("r") });
      assertSame(await store.append([last]), ["appended"]);
      assertSame(await store.append([last]), ["appended"]);
    },
  },
  {
    name: "events with a gap are refused whole",
    async check(store) {
      const lease = await created(store, newRun("r"));
      const gap = append(lease, { events: events("r", [2]), steps: [step("a", 1)] });
      await rejectsWith(OperationsError, "store_failed", () => store.append([gap]));
      const stored = await store.loadRun("r");
      assertSame([stored?.lastSeq, stored?.steps], [0, []]);
    },
  },
  {
    name: "of steps of one operation and attempt the first stays",
    async check(store) {
      const lease = await created(store, newRun("r"));
      await store.append([append(lease, { steps: [step("a", 1, "first")] })]);
      await store.append([
        append(lease, { steps: [step("a", 1, "second"), step("a", 2, "third")] }),
      ]);
      assertSame((await store.loadRun("r"))?.steps, [step("a", 1, "first"), step("a", 2, "third")]);
    },
  },
  {
    name: "many runs are added to in one go, and a stale one does not hold the others back",
    async check(store) {
      const leases = [
        await created(store, newRun("r1")),
        await created(store, newRun("r2")),
        await created(store, newRun("r3")),
      ];
      await store.acquireLease("r2", { owner: "x", ttlMs, nowMs: ttlMs });
      const all = leases.map((lease) => append(lease, { events: events(lease.runId, [1]) }));
      assertSame(await store.append(all), ["appended", "stale_lease", "appended"]);
      const lengths = await Promise.all(
        ["r1", "r2", "r3"].map(async (id) => (await store.readEvents(id)).length),
      );
      assertSame(lengths, [1, 0, 1]);
      assertSame(await store.append([]), []);
    },
  },
  {
    name: "a run with a result has ended: no lease, no more events, its branch free",
    async check(store) {
      const lease = await created(store, newRun("r"));
      await store.append([append(lease, { events: events("r", [1]), result: resultOf("r") })]);
      assertSame((await store.loadRun("r"))?.result, resultOf("r"));
      assert.equal(await store.acquireLease("r", { owner: "x", ttlMs, nowMs: 9_999 }), undefined);
      assertSame(await store.renewLease(lease, { ttlMs, nowMs: 1 }), { status: "lost" });
      assertSame(await store.append([append(lease, { events: events("r", [2]) })]), [
        "stale_lease",
      ]);
      assertSame(seqsOf(await store.readEvents("r")), [1]);
    },
  },
  {
    name: "unfinished runs are listed in the order of code units, page by page",
    async check(store) {
      for (const id of oddIds) await created(store, newRun(id));
      const ended = await created(store, newRun("ended"));
      await store.append([append(ended, { result: resultOf("ended") })]);
      const listed: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.listRuns({
          limit: 3,
          cursor,
        });
        assert.ok(page.runs.length <= 3, "a page is too long");
        listed.push(...page.runs.map(({ runId }) => runId));
        ({ cursor } = page);
        assert.ok(listed.length <= oddIds.length, "the pages do not end");
      } while (cursor !== undefined);
      assertSame(listed, oddIds.toSorted());
    },
  },
  {
    name: "ended runs are listed too where all are asked for, the newest first, with their leases",
    async check(store) {
      const ids = ["r1", "r2", "r3", "r4", "r5"];
      const leases = [];
      for (const id of ids) leases.push(await created(store, newRun(id)));
      for (const lease of leases.slice(1, 3))
        await store.append([append(lease, { result: resultOf(lease.runId) })]);
      const listed: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.listRuns({ all: true, limit: 2, cursor });
        assert.ok(page.runs.length <= 2, "a page is too long");
        listed.push(...page.runs.map(({ runId }) => runId));
        ({ cursor } = page);
        assert.ok(listed.length <= ids.length, "the pages do not end");
      } while (cursor !== undefined);
      assertSame(listed, ids.toReversed());
      const open = await store.listRuns();
      assertSame(
        open.runs.map(({ lease }) => lease),
        [leases[0], leases[3], leases[4]],
      );
    },
  },
  {
    name: "an answer is kept among the steps without a lease, the first stays and a second is refused, as by an ended run",
    async check(store) {
      const lease = await created(store, newRun("r"));
      const given = (operationId: string, value: unknown): AnswerStep => {
        return { kind: "answer", hook: "before_main_llm", operationId, value };
      };
      await store.append([append(lease, { steps: [step("a", 1)] })]);
      assert.equal(await store.answer("r", given("a", oddValue)), true);
      assert.equal(await store.answer("r", given("a", "second")), false);
      assert.equal(await store.answer("r", given("b", null)), true);
      const steps = [step("a", 1), given("a", oddValue), given("b", null)];
      assertSame((await store.loadRun("r"))?.steps, steps);
      await store.append([append(lease, { result: resultOf("r") })]);
      assert.equal(await store.answer("r", given("c", 1)), false);
      assertSame((await store.loadRun("r"))?.steps, steps);
      await rejectsWith(OperationsError, "unknown_run", () => store.answer("none", given("a", 1)));
    },
  },
  {
    name: "a call whose signal is aborted changes nothing",
    async check(store) {
      await rejectsWith(OperationsError, "aborted", () => store.createRun(newRun("r"), aborted()));
      assert.equal(await store.loadRun("r"), undefined);
      const lease = await created(store, newRun("r"));
      await rejectsWith(OperationsError, "aborted", () =>
        store.append([append(lease, { events: events("r", [1]) })], aborted()),
      );
      assertSame(await store.readEvents("r"), []);
    },
  },
  {
    name: "another handle sees the run, waits for its lease, and fences the first one off",
    needs: "openSecond",
    async check(store, { openSecond }) {
      const second = await openSecond(store);
      const lease = await created(store, newRun("r", { branchId: "b", requestId: "q" }));
      await store.append([
        append(lease, { events: events("r", [1]), steps: [step("a", 1, oddValue)] }),
      ]);
      assertSame(await second.createRun(newRun("r2", { branchId: "b" })), {
        status: "active",
        runId: "r",
      });
      assertSame(await second.createRun(newRun("r2", { branchId: "b", requestId: "q" })), {
        status: "duplicate",
        runId: "r",
      });
      assert.equal(
        await second.acquireLease("r", { owner: "x", ttlMs, nowMs: ttlMs - 1 }),
        undefined,
      );
      const taken = await second.acquireLease("r", { owner: "x", ttlMs, nowMs: ttlMs });
      assert.ok(
        taken !== undefined && taken.fencingToken > lease.fencingToken,
        "the new token is not higher",
      );
      assertSame(await store.append([append(lease, { events: events("r", [2]) })]), [
        "stale_lease",
      ]);
      assertSame((await second.loadRun("r"))?.steps, [step("a", 1, oddValue)]);
    },
  },
];

/** What every run store promises, for any test runner. */
export function runStoreConformance(options: ConformanceHooks<RunStore>): ConformanceRule[] {
  return bindRules([...creationRules, ...leaseRules, ...appendRules, ...pruneRules], options);
}
