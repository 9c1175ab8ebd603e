import { createScriptedModel, createSequentialIds } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { createRunStore } from "../stores/create-run-store.ts";
import { createVirtualClock } from "../testing/create-virtual-clock.ts";
import { createLocalExecutor } from "../ports/create-local-executor.ts";
import type { RunExecutor } from "../ports/run-executor.ts";
import type { RunStore } from "../ports/run-store.ts";
import {
  scenario,
  type Scenario,
  type ScenarioOptions,
} from "../../test-support/engine-scenario.ts";
import { deferred, type RunHandle } from "./live-run.ts";

const operations = [{ id: "before" }];
const leaseMs = 30_000;

/** Stores that outlive their workers, and the workers. */
function installation(): {
  runs: RunStore;
  clock: ReturnType<typeof createVirtualClock>;
  worker(options?: ScenarioOptions): Scenario;
  /** Starts a run, or resumes one, and kills its worker in the main call. */
  deadRun(runId?: string, options?: ScenarioOptions): Promise<RunHandle>;
} {
  const runs = createRunStore();
  const stores = {
    runs,
    clock: createVirtualClock(1_000),
    ids: createSequentialIds(),
  };
  const worker = (options: ScenarioOptions = {}): Scenario =>
    scenario({ ...stores, operations, answers: ["One.", "Two."], ...options });
  return {
    runs,
    clock: stores.clock,
    worker,
    async deadRun(runId, options) {
      let isDead = false;
      const gone = new Promise<never>(() => {});
      const guard =
        <Args extends unknown[], Value>(call: (...args: Args) => Promise<Value>) =>
        (...args: Args): Promise<Value> =>
          isDead ? gone : call(...args);
      const dying = worker({
        runs: { ...runs, append: guard(runs.append), renewLease: guard(runs.renewLease) },
        mainModel: createScriptedModel([() => gone]),
        ...options,
      });
      const { engine, start } = dying;
      const handle = await (runId === undefined ? engine.start(start) : engine.resume(runId));
      await stores.clock.advance(500);
      isDead = true;
      return handle;
    },
  };
}

/** Resolves with the status, moving the clock on while it waits. */
async function settled(
  { clock }: Pick<Scenario, "clock">,
  result: Promise<{ status: string }>,
): Promise<string> {
  const ends: string[] = [];
  void result.then(({ status }) => ends.push(status));
  for (let step = 0; step < 100 && ends.length === 0; step += 1) await clock.advance(500);
  return ends[0] ?? "waiting";
}

describe("a run whose worker has died", () => {
  it("is resumed by any engine on the store, without a call, about when its lease expires", async () => {
    const at = installation();
    at.worker({ recover: true, operations: [] });
    const { runId } = await at.deadRun();
    at.worker({ recover: true });
    await at.clock.advance(leaseMs - 1_000);
    expect((await at.runs.loadRun(runId))?.result).toBeUndefined();
    await at.clock.advance(2_000);
    expect((await at.runs.loadRun(runId))?.result).toMatchObject({ status: "done" });
  });

  it("is found when it started after the last look, too", async () => {
    const at = installation();
    at.worker({ recover: true });
    await at.clock.advance(12_345);
    const { runId } = await at.deadRun();
    await at.clock.advance(leaseMs + 500);
    expect((await at.runs.loadRun(runId))?.result).toMatchObject({ status: "done" });
  });

  it("is found again after searches that failed, each of which is reported", async () => {
    const at = installation();
    const { runId } = await at.deadRun();
    const reported: unknown[] = [];
    let failures = 2;
    const listRuns: RunStore["listRuns"] = async (options) => {
      failures -= 1;
      if (failures >= 0) throw new Error("The queue is away.");
      return at.runs.listRuns(options);
    };
    const onListenerError = (error: unknown): void => void reported.push(error);
    at.worker({ recover: true, runs: { ...at.runs, listRuns }, onListenerError });
    await at.clock.advance(2 * leaseMs);
    expect(reported.map(String)).toEqual([
      "OperationsError: The search for runs without a worker failed and is repeated: The queue is away.",
      "OperationsError: The search for runs without a worker failed and is repeated: The queue is away.",
    ]);
    expect((await at.runs.loadRun(runId))?.result).toMatchObject({ status: "done" });
  });

  it("is not resumed with `recover: false`, but by recover()", async () => {
    const at = installation();
    const { runId } = await at.deadRun();
    const { engine } = at.worker({ recover: false });
    await at.clock.advance(3 * leaseMs);
    expect((await at.runs.loadRun(runId))?.result).toBeUndefined();
    expect(await engine.recover()).toEqual([runId]);
    expect(await engine.recover()).toEqual([]);
    await at.clock.advance(100);
    expect((await at.runs.loadRun(runId))?.result).toMatchObject({ status: "done" });
  });

  it.each(["reject", "queue", "abort_previous"] as const)(
    "blocks no start: %s",
    async (whenActive) => {
      const at = installation();
      const { runId } = await at.deadRun();
      const { engine, start } = at.worker();
      await at.clock.advance(leaseMs);
      const next = await engine.start({ ...start, whenActive });
      expect(await settled(at, next.result)).toBe("done");
      const expected = whenActive === "abort_previous" ? "aborted" : "done";
      expect((await at.runs.loadRun(runId))?.result?.status).toBe(expected);
    },
  );

  it("blocks no start of an engine that can't resume it: it is aborted", async () => {
    const at = installation();
    const { runId } = await at.deadRun();
    const { engine, start } = at.worker({ operations: [] });
    await expect(engine.start(start)).rejects.toMatchObject({ code: "run_active" });
    await at.clock.advance(leaseMs);
    expect(await settled(at, (await engine.start(start)).result)).toBe("done");
    expect((await at.runs.loadRun(runId))?.result?.status).toBe("aborted");
  });

  it("is left to others where it is in a format that this engine does not know", async () => {
    const at = installation();
    const { runId } = await at.deadRun();
    await at.clock.advance(leaseMs);
    const loadRun: RunStore["loadRun"] = async (id, call) => {
      const stored = await at.runs.loadRun(id, call);
      return (
        stored && { ...stored, input: Object.assign({ ...stored.input }, { formatVersion: 2 }) }
      );
    };
    expect(await at.worker({ runs: { ...at.runs, loadRun } }).engine.recover()).toEqual([]);
    expect(await at.worker().engine.recover()).toEqual([runId]);
  });

  it("is left to others by an engine without its operations, whose handle waits for them", async () => {
    const at = installation();
    const { runId } = await at.deadRun();
    await at.clock.advance(leaseMs);
    const handle = await at.worker({ operations: [] }).engine.resume(runId);
    const isWaiting = await settled(at, handle.result);
    expect([isWaiting, (await at.runs.loadRun(runId))?.result]).toEqual(["waiting", undefined]);
    await at.worker().engine.recover();
    expect(await settled(at, handle.result)).toBe("done");
  });

  it("has failed once it has ended ten workers in a row that got nothing done", async () => {
    const at = installation();
    const { runId } = await at.deadRun();
    for (let take = 1; take <= 10; take += 1) {
      await at.clock.advance(leaseMs);
      await at.deadRun(runId);
      expect((await at.runs.loadRun(runId))?.result).toBeUndefined();
    }
    await at.clock.advance(leaseMs);
    const { engine } = at.worker();
    await engine.recover();
    await at.clock.advance(100);
    expect((await at.runs.loadRun(runId))?.result).toMatchObject({
      status: "failed",
      failedType: "main_llm",
      failedDetails: { errorCode: "worker_lost" },
      operationRuns: [{ operationId: "before", status: "done" }],
    });
  });

  it("may wait for an answer in any number of workers", async () => {
    const at = installation();
    const waiting = {
      operations: [{ id: "consent", kind: "wait", params: { question: "May I?" } }],
    };
    const { runId } = await at.deadRun(undefined, waiting);
    for (let take = 1; take <= 12; take += 1) {
      await at.clock.advance(leaseMs);
      await at.deadRun(runId, waiting);
    }
    await at.clock.advance(leaseMs);
    const { engine } = at.worker(waiting);
    await engine.answer(runId, { operation: "consent", value: true });
    await engine.recover();
    await at.clock.advance(1_000);
    expect((await at.runs.loadRun(runId))?.result?.status).toBe("done");
  });

  it("is ended by abort(), and readers of its events come to an end", async () => {
    const at = installation();
    const { runId } = await at.deadRun();
    const { engine } = at.worker({ operations: [] });
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type } of engine.events(runId)) types.push(type);
      return { status: "over" };
    })();
    await at.clock.advance(leaseMs);
    expect(await engine.abort(runId, "Enough.")).toBe(true);
    expect(await settled(at, reading)).toBe("over");
    expect(types.at(-1)).toBe("run.finished");
    expect(await engine.abort(runId)).toBe(false);
    await expect(engine.abort("none")).rejects.toMatchObject({ code: "unknown_run" });
  });
});

it("a run whose stored steps cannot be replayed fails", async () => {
  const at = installation();
  const { runId } = await at.deadRun();
  await at.clock.advance(leaseMs);
  const loadRun: RunStore["loadRun"] = async (id, call) => {
    const stored = await at.runs.loadRun(id, call);
    const damaged = JSON.parse(JSON.stringify({ kind: "commit", hook: "before_main_llm" }));
    return stored?.result === undefined && stored !== undefined
      ? { ...stored, steps: [...stored.steps, damaged] }
      : stored;
  };
  const worker = at.worker({ runs: { ...at.runs, loadRun } });
  const { result } = await worker.engine.resume(runId);
  expect(await settled(at, result)).toBe("failed");
});

const takeovers = Array.from({ length: 10 }, (_, at) => ({ kind: "take_over", number: at + 1 }));

it.each([
  ["a step that cannot be replayed", [{ kind: "commit", hook: "before_main_llm" }]],
  ["ten takeovers", takeovers],
])("a run ends whose stored end is followed by %s", async (_, further) => {
  const at = installation();
  const { runId } = await at.deadRun();
  await at.clock.advance(leaseMs);
  const end = { kind: "main_llm", attempt: 1, executed: true, status: "error", text: "" };
  const stepsAfter = JSON.parse(JSON.stringify([end, ...further]));
  const loadRun: RunStore["loadRun"] = async (id, call) => {
    const stored = await at.runs.loadRun(id, call);
    if (stored === undefined || stored.result !== undefined) return stored;
    return { ...stored, steps: [...stored.steps, ...stepsAfter] };
  };
  const worker = at.worker({ runs: { ...at.runs, loadRun } });
  const { result } = await worker.engine.resume(runId);
  expect(await settled(at, result)).toBe("failed");
  expect((await at.runs.loadRun(runId))?.result?.status).toBe("failed");
});

it("a lease is not renewed after it was lost while a renewal was under way", async () => {
  const runs = createRunStore();
  const renewal = deferred<void>();
  const answer = deferred<string>();
  let [renewals, isLost] = [0, false];
  const { engine, start, clock } = scenario({
    operations: [{ id: "after", hooks: ["after_main_llm"] }],
    mainModel: createScriptedModel([() => answer.promise]),
    runs: {
      ...runs,
      append: (appended, call) =>
        isLost ? Promise.resolve({ status: "stale_lease" }) : runs.append(appended, call),
      async renewLease() {
        renewals += 1;
        await renewal.promise;
        throw new Error("connection reset");
      },
    },
  });
  await engine.start(start);
  await clock.advance(1_500);
  isLost = true;
  answer.resolve("Too late.");
  await clock.advance(100);
  renewal.resolve();
  await clock.advance(10_000);
  expect(renewals).toBe(1);
});

it("a run whose journal could not be written leaves its branch to the next start", async () => {
  const runs = createRunStore();
  let isBroken = true;
  const world = scenario({
    operations,
    answers: ["First.", "Second.", "Third."],
    runs: {
      ...runs,
      append: (appends, call) =>
        isBroken ? Promise.reject(new Error("disk full")) : runs.append(appends, call),
    },
  });
  const first = await world.engine.start(world.start);
  expect(await settled(world, first.result)).toBe("failed");
  isBroken = false;
  const second = await world.engine.start(world.start);
  expect(await settled(world, second.result)).toBe("done");
  expect((await runs.loadRun(first.runId))?.result?.status).toBe("done");
});

it("is resumed at once by engines that know that its owner is dead, without a call", async () => {
  const at = installation();
  const { runId } = await at.deadRun(undefined, { owner: "gone" });
  at.worker({ recover: true, isOwnerDead: async (owner) => owner === "gone" });
  await at.clock.advance(1_000);
  expect((await at.runs.loadRun(runId))?.result).toMatchObject({ status: "done" });
});

it("is submitted again to the executor, which may abort it", async () => {
  const at = installation();
  const { runId } = await at.deadRun();
  await at.clock.advance(leaseMs);
  const submitted: unknown[] = [];
  const local = createLocalExecutor();
  let abort: Parameters<RunExecutor["attach"]>[1] = () => {};
  const executor: RunExecutor = {
    ...local,
    attach(driver, aborts) {
      abort = aborts;
      local.attach(driver, aborts);
    },
    async submit(id, isResumed) {
      submitted.push([id, isResumed]);
      if (isResumed) abort(id, "It was cancelled.");
      abort("another");
      await local.submit(id, isResumed);
    },
  };
  const { engine, start, clock } = at.worker({ executor });
  const handle = await engine.resume(runId);
  expect(await settled({ clock }, handle.result)).toBe("aborted");
  const next = await engine.start(start);
  expect(await settled({ clock }, next.result)).toBe("done");
  expect(submitted).toEqual([
    [runId, true],
    [next.runId, false],
  ]);
});

it("looks less and less often for the end of a run elsewhere that is silent", async () => {
  const at = installation();
  const { runId } = await at.deadRun();
  let looks = 0;
  const loadRun: RunStore["loadRun"] = (id, call) => {
    looks += 1;
    return at.runs.loadRun(id, call);
  };
  const { engine } = at.worker({ runs: { ...at.runs, loadRun }, operations: [] });
  await engine.resume(runId);
  await at.clock.advance(leaseMs);
  expect(looks).toBeLessThan(35);
  looks = 0;
  await at.clock.advance(60_000);
  expect(looks).toBeLessThan(15);
});
