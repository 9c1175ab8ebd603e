import { OperationsError } from "../operations-error.ts";
import { type KitRule, rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import type { RunStore } from "../ports/run-store.ts";
import { append, created, events, newRun, resultOf, seqsOf, step } from "./run-records.ts";
import { aborted } from "./store-rules.ts";

/** What stores promise of runs that are deleted. */
export const pruneRules: readonly KitRule<RunStore>[] = [
  {
    name: "pruning deletes the runs that ended before a time, oldest first, with all that is theirs",
    async check(store) {
      const finish = async (runId: string, finishedAt: number): Promise<void> => {
        const lease = await created(store, newRun(runId));
        const result = { ...resultOf(runId), finishedAt };
        await store.append([
          append(lease, { events: events(runId, [1]), steps: [step("a", 1)], result }),
        ]);
      };
      for (const [runId, finishedAt] of [
        ["late", 30],
        ["first", 10],
        ["second", 20],
        ["edge", 25],
      ] as const) {
        await finish(runId, finishedAt);
      }
      await created(store, newRun("open"));
      const left = async (): Promise<string[]> => {
        const ids = ["late", "first", "second", "edge", "open"];
        const found = await Promise.all(ids.map((id) => store.loadRun(id)));
        return ids.filter((_, index) => found[index] !== undefined);
      };
      assert.equal(await store.prune({ endedBeforeMs: 25, nowMs: 100, limit: 1 }), 1);
      assert.deepEqual(await left(), ["late", "second", "edge", "open"]);
      assert.equal(await store.prune({ endedBeforeMs: 25, nowMs: 100 }), 1);
      assert.equal(await store.prune({ endedBeforeMs: 25, nowMs: 100 }), 0);
      assert.deepEqual(await left(), ["late", "edge", "open"]);
      await rejectsWith(OperationsError, "unknown_run", () => store.readEvents("first"));
      assert.deepEqual(seqsOf(await store.readEvents("late")), [1]);
      await finish("first", 40);
      assert.deepEqual((await store.loadRun("first"))?.steps, [step("a", 1)]);
      await rejectsWith(OperationsError, "aborted", () =>
        store.prune({ endedBeforeMs: 1_000, nowMs: 100, ...aborted() }),
      );
      assert.deepEqual(await left(), ["late", "first", "edge", "open"]);
    },
  },
  {
    name: "pruning keeps the run of a remembered request, and forgets the request with the run",
    async check(store) {
      const lease = await created(store, newRun("r1", { branchId: "b", requestId: "q" }));
      await store.append([append(lease, { result: resultOf("r1") })]);
      assert.equal(await store.prune({ endedBeforeMs: 1_000, nowMs: 499 }), 0);
      const again = newRun("r2", { branchId: "b", requestId: "q", nowMs: 499 });
      assert.deepEqual(await store.createRun(again), { status: "duplicate", runId: "r1" });
      assert.equal(await store.prune({ endedBeforeMs: 1_000, nowMs: 500 }), 1);
      assert.equal((await store.createRun(again)).status, "created");
    },
  },
];
