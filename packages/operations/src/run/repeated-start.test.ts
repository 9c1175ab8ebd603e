import { createScriptedModel, createSequentialIds } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import type { OperationHandler } from "../operation/operation-definition.ts";
import { createRunStore } from "../stores/create-run-store.ts";
import { createFaultInjector, type CrashPoint } from "../testing/create-fault-injector.ts";
import { createManualScheduler } from "../testing/create-manual-scheduler.ts";
import { createVirtualClock, settlePromises } from "../testing/create-virtual-clock.ts";
import type { RunEngine } from "./run-engine.ts";
import type { StartOptions } from "./engine-options.ts";
import { done, scenario, write } from "../../test-support/engine-scenario.ts";

interface Processes {
  calls: string[];
  clock: ReturnType<typeof createVirtualClock>;
  request: StartOptions;
  model: ReturnType<typeof createScriptedModel>;
  /** An engine of a process of its own, which may die. */
  engine(crash?: CrashPoint): RunEngine;
}

/** Any number of processes on the same stores. */
function createProcesses(does: OperationHandler = async () => done()): Processes {
  const calls: string[] = [];
  const counted: OperationHandler = async (context) => {
    calls.push(`${context.hook}/${context.definition.operationId}`);
    return does(context);
  };
  const operations = [
    { id: "a", required: true, does: counted },
    { id: "b", required: true, dependsOn: ["a"], does: counted, writesTag: "b" },
  ];
  const runs = createRunStore();
  const clock = createVirtualClock(1_000);
  const ids = createSequentialIds();
  const model = createScriptedModel(["The answer.", "Another answer."]);
  const engine = (crash?: CrashPoint): RunEngine => {
    const faults = createFaultInjector(crash);
    return scenario({
      operations,
      clock,
      ids,
      mainModel: model,
      runs: faults.wrap(runs, ["createRun", "append"]),
    }).engine;
  };
  const request = { ...scenario({ operations }).start, clientRequestId: "q" };
  return { calls, clock, request, model, engine };
}

describe("a start with a known request id", () => {
  it("takes the run up where its process has died, and repeats nothing that had ended", async () => {
    const world = createProcesses(async ({ definition }) =>
      definition.operationId === "b" ? done(write("b", 1)) : done(),
    );
    // After the write that holds the ends of both operations, before their commit.
    const dead = await world.engine({ write: 2, when: "after" }).start(world.request);
    expect((await dead.result).status).toBe("failed");
    const before = [...world.calls];
    await world.clock.advance(60_000);
    const again = await world.engine().start(world.request);
    expect(again.runId).toBe(dead.runId);
    const result = await again.result;
    expect([result.status, result.mainLlm.text]).toEqual(["done", "The answer."]);
    expect(before).toEqual(["before_main_llm/a", "before_main_llm/b"]);
    expect(world.calls).toEqual(before);
    const epochs = new Set<number>();
    for await (const { epoch } of again.events) epochs.add(epoch);
    expect([...epochs]).toEqual([1, 2]);
  });

  it("waits for the lease of the one that died, and carries the run on then", async () => {
    const world = createProcesses();
    const dead = await world.engine({ write: 2, when: "before" }).start(world.request);
    await dead.result;
    const again = await world.engine().start(world.request);
    const { length: asked } = world.model.requests;
    await world.clock.advance(29_000);
    expect(world.model.requests).toHaveLength(asked);
    await world.clock.advance(2_000);
    expect((await again.result).status).toBe("done");
    expect(world.model.requests).toHaveLength(asked + 1);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it("leaves a run that is worked on to its worker, however many ask and wherever", async () => {
    const scheduler = createManualScheduler();
    const world = createProcesses(scheduler.hold(async () => done()));
    const engines = [world.engine(), world.engine(), world.engine()];
    const starts = Array.from({ length: 30 }, (_, at) =>
      engines[at % engines.length]?.start(world.request),
    );
    const handles = (await Promise.all(starts)).filter((handle) => handle !== undefined);
    expect(new Set(handles.map(({ runId }) => runId)).size).toBe(1);
    // Longer than a lease: the worker renews it.
    for (let second = 0; second < 45; second += 1) await world.clock.advance(1_000);
    const results = Promise.all(handles.map(({ result }) => result));
    for (let step = 0; step < 4; step += 1) {
      scheduler.pending[0]?.end();
      await settlePromises();
      await world.clock.advance(500);
    }
    expect(new Set((await results).map((result) => JSON.stringify(result))).size).toBe(1);
    expect(world.calls).toEqual(["before_main_llm/a", "before_main_llm/b"]);
    expect(world.model.requests).toHaveLength(1);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it("after a death is carried on once, however many ask at the same time", async () => {
    const world = createProcesses();
    const dead = await world.engine({ write: 2, when: "before" }).start(world.request);
    await dead.result;
    const { length: asked } = world.model.requests;
    world.calls.length = 0;
    await world.clock.advance(60_000);
    const engines = Array.from({ length: 5 }, () => world.engine());
    const starts = Array.from({ length: 20 }, (_, at) =>
      engines[at % engines.length]?.start(world.request),
    );
    const handles = (await Promise.all(starts)).filter((handle) => handle !== undefined);
    const results = Promise.all(handles.map(({ result }) => result));
    for (let step = 0; step < 5; step += 1) await world.clock.advance(500);
    expect(new Set((await results).map(({ status, runId }) => `${status} ${runId}`))).toEqual(
      new Set([`done ${dead.runId}`]),
    );
    expect([world.calls.length, world.model.requests.length - asked]).toEqual([2, 1]);
  });
});
