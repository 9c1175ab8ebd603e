import { getEventListeners } from "node:events";
import type { LanguageModel, ModelRequest } from "@ccl/core";
import { describe, expect, it } from "vitest";

import type { OperationContext, OperationOutcome } from "../operation/operation-definition.ts";
import { settlePromises } from "../testing/create-virtual-clock.ts";
import { createManualScheduler } from "../testing/create-manual-scheduler.ts";
import {
  done,
  scenario,
  write,
  type ScenarioOperation,
} from "../../test-support/engine-scenario.ts";
import { newRun } from "../../test-support/run-records.ts";

/** Ends when its signal is aborted, at once. */
const heedful = ({ signal }: OperationContext): Promise<OperationOutcome> =>
  new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve({ status: "aborted" }), { once: true }),
  );
const never = (): Promise<OperationOutcome> => new Promise(() => {});

/** Streams what it is given and then hangs until it is aborted, or for ever. */
function hangingModel(pieces: readonly string[], heeds: boolean): LanguageModel {
  return {
    provider: "test",
    modelId: "test",
    generate: () => Promise.reject(new Error("It streams.")),
    async *stream({ signal }: ModelRequest) {
      for (const text of pieces) yield { type: "text" as const, text };
      await new Promise((_resolve, reject) => {
        if (heeds)
          signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      });
    },
  };
}

describe("an abort", () => {
  it("ends a run at once where what runs heeds the signal", async () => {
    const world = scenario({
      operations: [
        { id: "a", does: heedful },
        { id: "b", dependsOn: ["a"] },
      ],
    });
    const handle = await world.engine.start(world.start);
    await settlePromises();
    handle.abort("The user left.");
    const result = await handle.result;
    expect(result).toMatchObject({
      status: "aborted",
      finishReason: "user_abort",
      mainLlm: { executed: false },
      durationMs: 0,
    });
    expect(result.operationRuns.map(({ status }) => status)).toEqual(["aborted", "aborted"]);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it("leaves what does not heed the signal after the grace, and drops what it gives then", async () => {
    const scheduler = createManualScheduler();
    const does = scheduler.hold(async () => done(write("a", 1)));
    const world = scenario({
      operations: [{ id: "a", does, writesTag: "a" }],
    });
    const handle = await world.engine.start(world.start);
    await settlePromises();
    handle.abort();
    await world.clock.advance(1_999);
    expect(world.clock.pendingTimers).toBeGreaterThan(0);
    await world.clock.advance(1);
    const result = await handle.result;
    expect(result).toMatchObject({
      status: "aborted",
      durationMs: 2_000,
      commitLog: [],
      artifacts: [],
    });
    expect(result.operationRuns).toMatchObject([
      { operationId: "a", status: "aborted", detached: true },
    ]);
    expect([world.clock.pendingTimers, world.engine.counts()]).toEqual([
      0,
      { running: 0, waiting: 0 },
    ]);
    scheduler.pending[0]?.end();
    await settlePromises();
    expect(
      (await world.engine.resume(handle.runId).then(({ result }) => result)).artifacts,
    ).toEqual([]);
  });

  it("records a result that came within the grace as aborted, and commits nothing of it", async () => {
    const scheduler = createManualScheduler();
    const does = scheduler.hold(async () => done(write("a", 1)));
    const world = scenario({ operations: [{ id: "a", does, writesTag: "a" }] });
    const handle = await world.engine.start(world.start);
    await settlePromises();
    handle.abort();
    scheduler.pending[0]?.end();
    const result = await handle.result;
    expect(result.operationRuns).toMatchObject([{ status: "aborted", lateStatus: "done" }]);
    expect([result.commitLog, result.artifacts]).toEqual([[], []]);
  });

  it("starts nothing more, even of what became ready in the same moment", async () => {
    const begun: string[] = [];
    const controller = new AbortController();
    const operation = (id: string): ScenarioOperation => ({
      id,
      does: async () => {
        begun.push(id);
        if (id === "b") controller.abort();
        return done();
      },
    });
    const world = scenario({ operations: ["a", "b", "c", "d"].map(operation) });
    const handle = await world.engine.start({ ...world.start, signal: controller.signal });
    const result = await handle.result;
    expect([begun, result.status]).toEqual([["a", "b"], "aborted"]);
  });

  it.each([
    ["heeds", true, 0],
    ["does not heed", false, 2_000],
  ])(
    "keeps the beginning of an answer whose model %s it, marked partial",
    async (_name, heeds, durationMs) => {
      const world = scenario({
        mainModel: hangingModel(["Once upon ", "a time"], heeds),
        operations: [{ id: "z", hooks: ["after_main_llm"] }],
      });
      const handle = await world.engine.start(world.start);
      await settlePromises();
      handle.abort();
      await world.clock.advance(2_000);
      const result = await handle.result;
      expect(result).toMatchObject({
        status: "aborted",
        durationMs,
        mainLlm: {
          executed: true,
          status: "aborted",
          finishReason: "user_abort",
          partial: true,
          text: "Once upon a time",
        },
      });
      const [turn] = await world.chat.turns({ chatId: "chat", branchId: "main" });
      expect(turn?.assistantVariants).toMatchObject([
        { content: "Once upon a time", partial: true },
      ]);
      expect(result.operationRuns).toMatchObject([{ operationId: "z", status: "aborted" }]);
      const types: string[] = [];
      for await (const event of handle.events)
        types.push(event.type === "main_llm.delta" ? event.text : event.type);
      const end = [
        "operation.finished",
        "a time",
        "main_llm.finished",
        "run.phase_changed",
        "run.finished",
      ];
      expect(types.slice(-7)).toEqual(["main_llm.started", "Once upon ", ...end]);
      expect(world.clock.pendingTimers).toBe(0);
    },
  );

  it("comes too late once the last commit is on its way", async () => {
    const world = scenario({
      operations: [
        { id: "a", hooks: ["after_main_llm"], does: done(write("a", 1)), writesTag: "a" },
      ],
    });
    const { append } = world.runs;
    const stops: { abort?: () => void } = {};
    world.runs.append = async (...parameters) => {
      if (parameters[0].commit !== undefined) stops.abort?.();
      return append(...parameters);
    };
    const handle = await world.engine.start(world.start);
    stops.abort = () => handle.abort();
    expect(await handle.result).toMatchObject({ status: "done", artifacts: [{ tag: "a" }] });
  });

  it("during the first commit keeps what was committed, and makes no main call", async () => {
    const world = scenario({
      operations: [{ id: "a", does: done(write("a", 1)), writesTag: "a" }],
    });
    const { append } = world.runs;
    const stops: { abort?: () => void } = {};
    world.runs.append = async (...parameters) => {
      if (parameters[0].commit !== undefined) stops.abort?.();
      return append(...parameters);
    };
    const handle = await world.engine.start(world.start);
    stops.abort = () => handle.abort();
    expect(await handle.result).toMatchObject({
      status: "aborted",
      mainLlm: { executed: false },
      artifacts: [{ tag: "a" }],
    });
  });

  it.each([
    [{}, 1_000],
    [{ leaseMs: 300 }, 100],
  ])("from another process is heard within the time of a renewal: %j", async (limits, renewMs) => {
    const world = scenario({ operations: [{ id: "a", does: heedful }], limits });
    const run = await world.engine.start(world.start);
    await settlePromises();
    await world.runs.requestAbort(run.runId, { reason: "elsewhere" });
    await world.clock.advance(renewMs - 1);
    expect((await world.runs.loadRun(run.runId))?.result).toBeUndefined();
    await world.clock.advance(1);
    expect(await run.result).toMatchObject({ status: "aborted", finishReason: "user_abort" });
    expect(world.clock.pendingTimers).toBe(0);
  });

  it("by the signal of the start ends the run, and listeners go with it", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const listeners = (): number => getEventListeners(signal, "abort").length;
    const world = scenario({ operations: [{ id: "a", does: heedful }], answers: ["One.", "Two."] });
    const handle = await world.engine.start({ ...world.start, signal });
    await settlePromises();
    expect(listeners()).toBe(1);
    controller.abort();
    expect((await handle.result).status).toBe("aborted");
    expect(listeners()).toBe(0);
    await expect(world.engine.start({ ...world.start, signal })).rejects.toMatchObject({
      code: "aborted",
    });
  });
});

describe("a deadline", () => {
  it("aborts the run, what runs and what never started", async () => {
    const world = scenario({
      operations: [
        { id: "a", does: heedful },
        { id: "b", dependsOn: ["a"] },
        { id: "c", hooks: ["after_main_llm"] },
      ],
    });
    const handle = await world.engine.start({ ...world.start, timeoutMs: 500 });
    await world.clock.advance(500);
    const result = await handle.result;
    expect(result).toMatchObject({ status: "aborted", finishReason: "deadline", durationMs: 500 });
    expect(result.operationRuns.map(({ status }) => status)).toEqual([
      "aborted",
      "aborted",
      "aborted",
    ]);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it("that has passed already lets nothing start", async () => {
    const begun: string[] = [];
    const does = async (): Promise<OperationOutcome> => {
      begun.push("a");
      return done();
    };
    const world = scenario({ operations: [{ id: "a", does }] });
    const { profile } = world;
    const left = newRun("left", { profile, userMessage: "Hello", deadlineMs: 1_000 });
    await world.runs.createRun(left);
    const handle = await world.engine.resume("left");
    await world.clock.advance(0);
    expect([(await handle.result).finishReason, begun]).toEqual(["deadline", []]);
  });
});

describe("concurrency limits", () => {
  const tenOf = (rest: Partial<ScenarioOperation>): ScenarioOperation[] =>
    Array.from({ length: 10 }, (_, index) => ({ id: `op${index}`, order: index, ...rest }));

  it.each([
    ["all", 1, 1],
    ["three at a time", 3, 3],
    ["nothing", undefined, 10],
    ["less than one counts as one", 0, 1],
  ])("hold for %s, and everything runs", async (_name, concurrency, maxConcurrent) => {
    const scheduler = createManualScheduler();
    const operations = tenOf({ does: scheduler.hold(async () => done()) });
    const world = scenario({ operations, limits: { concurrency } });
    const handle = await world.engine.start(world.start);
    const result = await scheduler.runUntil(handle.result, () => 0);
    expect(result.operationRuns.map(({ status }) => status)).toEqual(
      Array.from({ length: 10 }, () => "done"),
    );
    expect([scheduler.maxConcurrent, world.engine.counts()]).toEqual([
      maxConcurrent,
      { running: 0, waiting: 0 },
    ]);
    expect(scheduler.begun).toEqual(operations.map(({ id }) => `before_main_llm/${id}/1`));
  });

  it("hold over all runs of an engine, and an aborted run leaves its places to others", async () => {
    const world = scenario({
      operations: tenOf({ does: never }),
      limits: { concurrency: 3, graceMs: 10 },
      answers: ["One.", "Two."],
    });
    const first = await world.engine.start(world.start);
    const second = await world.engine.start({ ...world.start, branchId: "other" });
    await settlePromises();
    expect(world.engine.counts()).toEqual({ running: 3, waiting: 17 });
    first.abort();
    await world.clock.advance(10);
    expect((await first.result).status).toBe("aborted");
    expect(world.engine.counts()).toEqual({ running: 3, waiting: 7 });
    second.abort();
    await world.clock.advance(10);
    await second.result;
    expect(world.engine.counts()).toEqual({ running: 0, waiting: 0 });
  });
});
