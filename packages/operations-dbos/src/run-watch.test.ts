import { createFixedClock } from "@ccl/core/testing";
import {
  createOperationStores,
  type OperationKey,
  type RunResult,
  type RunStore,
} from "@ccl/operations";
import { describe, expect, it } from "vitest";

import { createRunWatch } from "./run-watch.ts";

const before: OperationKey = { hook: "before_main_llm", operationId: "a" };
const after: OperationKey = { hook: "after_main_llm", operationId: "a" };

/** Watches the run until both operations are told of an end. */
async function endsOf(
  runs: Pick<RunStore, "loadRun">,
  { nowMs = 0 } = {},
): Promise<(string | undefined)[]> {
  const ends = new Map<OperationKey, string>();
  return new Promise((resolve) => {
    const watch = createRunWatch({
      runs,
      leftAfterMs: 100,
      clock: createFixedClock(nowMs),
      isNeeded: () => ends.size < 2,
      end(_, statusOf) {
        for (const operation of [before, after]) {
          const status = ends.get(operation) ?? statusOf(operation);
          if (status !== undefined) ends.set(operation, status);
        }
        if (ends.size === 2) resolve([ends.get(before), ends.get(after)]);
      },
    });
    watch.watch("run");
    watch.watch("run");
  });
}

async function storeOf(lease: {
  ttlMs: number;
}): Promise<{ runs: RunStore; fencingToken: number }> {
  const runs = createOperationStores().runs;
  const ids = {
    runId: "run",
    chatId: "c",
    branchId: "main",
    userMessageId: "m",
    assistantVariantId: "v",
  };
  const input = { ...ids, formatVersion: 1, trigger: "generate", startedAt: 0 } as const;
  const created = await runs.createRun({ input, lease: { owner: "w", ...lease, nowMs: 0 } });
  return { runs, fencingToken: created.status === "created" ? created.lease.fencingToken : 0 };
}

const step = { kind: "operation", ...before, attempt: 1, status: "done", finishedAt: 1 } as const;

describe("createRunWatch", () => {
  it("takes ends from the journal, and gives up on the others once nobody carries the run any more", async () => {
    const { runs, fencingToken } = await storeOf({ ttlMs: 50 });
    const retried = { ...step, ...after, willRetry: true };
    await runs.append({ runId: "run", fencingToken, events: [], steps: [step, retried] });
    expect(await endsOf(runs, { nowMs: 60 })).toEqual(["done", "left"]);
  });

  it("waits on while somebody carries the run, until that has ended", async () => {
    const { runs, fencingToken } = await storeOf({ ttlMs: 1_000 });
    let looks = 0;
    const watched = {
      // Long after a run that nobody carries would have been given up.
      loadRun: async (runId: string) => {
        looks += 1;
        if (looks === 10) await runs.append({ runId, fencingToken, events: [], steps: [], result });
        return runs.loadRun(runId);
      },
    };
    const result: RunResult = {
      formatVersion: 1,
      runId: "run",
      status: "done",
      startedAt: 0,
      finishedAt: 1,
      durationMs: 1,
      operationRuns: [{ ...after, trigger: "generate", required: true, status: "skipped" }],
      mainLlm: { executed: false },
      commitLog: [],
      artifacts: [],
    };
    expect(await endsOf(watched)).toEqual(["unknown_operation", "skipped"]);
  });

  it("gives up on a run that is not in the store, and where the store can't be read", async () => {
    expect(await endsOf(createOperationStores().runs)).toEqual(["unknown_run", "unknown_run"]);
    expect(await endsOf({ loadRun: () => Promise.reject(new Error("down")) })).toEqual([
      "left",
      "left",
    ]);
  });
});
