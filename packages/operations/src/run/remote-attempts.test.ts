import { createScriptedModel } from "@ccl/core/testing";
import { expect, it } from "vitest";

import type { RunEvent } from "../events/run-event.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import { createRunStore } from "../stores/create-run-store.ts";
import type {
  ExecutorEngine,
  OperationAttempt,
  RunDriver,
  RunExecutor,
} from "../ports/run-executor.ts";
import { createOperationRegistry } from "../profile/create-operation-registry.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import { createVirtualClock } from "../testing/create-virtual-clock.ts";
import { createRunEngine } from "./create-run-engine.ts";
import type { RunEngine } from "./run-engine.ts";

interface Carried extends RunExecutor {
  attempts: OperationAttempt[];
  events: RunEvent[];
  engine: ExecutorEngine | undefined;
}

/** A local executor that carries attempts as it is told to. */
function createRecordingExecutor(
  carry: NonNullable<RunExecutor["executeAttempt"]> = async (_, execute) => execute(),
): Carried {
  let drive: RunDriver | undefined;
  return {
    isLocal: true,
    attempts: [],
    events: [],
    engine: undefined,
    attach(driver, engine) {
      drive = driver;
      this.engine = engine;
    },
    async submit(runId) {
      void drive?.(runId);
    },
    async executeAttempt(attempt, execute) {
      this.attempts.push(attempt);
      return carry(attempt, execute);
    },
    onEvent(event) {
      this.events.push(event);
      throw new Error("thrown by a listener");
    },
  };
}

const turn = { trigger: "generate", chatId: "c", branchId: "main", message: "Hi." } as const;

function open(
  executor: RunExecutor,
  handler: OperationHandler,
): { engine: RunEngine; profile: OperationProfile; runs: ReturnType<typeof createRunStore> } {
  const registry = createOperationRegistry();
  const retry = { maxAttempts: 2, backoffMs: 1, retryOn: ["internal_error"] };
  for (const operationId of ["a", "b"])
    registry.register({ operationId, kind: "test", name: operationId }, handler);
  const config = {
    enabled: true,
    required: false,
    hooks: ["before_main_llm" as const],
    params: { retry },
  };
  const profile: OperationProfile = {
    profileId: "p",
    name: "P",
    enabled: true,
    operationProfileSessionId: "1",
    operations: [
      {
        operationId: "a",
        config: { ...config, order: 2, hooks: ["before_main_llm", "after_main_llm"] },
      },
      { operationId: "b", config: { ...config, order: 1, dependsOn: [] } },
    ],
  };
  const runs = createRunStore();
  const mainModel = createScriptedModel(["Hello.", "Again."]);
  const engine = createRunEngine({
    onListenerError: () => undefined,
    registry,
    mainModel,
    runs,
    executor,
    limits: { graceMs: 20 },
  });
  return { engine, profile, runs };
}

it("hands each attempt to the executor, and takes what that settles with for the attempt's outcome", async () => {
  const executor = createRecordingExecutor();
  let calls = 0;
  const { engine, profile, runs } = open(executor, async ({ definition, attempt }) => {
    calls += 1;
    if (definition.operationId === "b" && attempt === 1) throw new Error("once");
    return { status: "done" };
  });
  const run = await engine.start({ ...turn, profile });
  const result = await run.result;
  expect(
    result.operationRuns.map(({ operationId, status, attempts }) => [
      operationId,
      status,
      attempts,
    ]),
  ).toEqual([
    ["b", "done", 2],
    ["a", "done", 1],
    ["a", "done", 1],
  ]);
  const { runId } = run;
  const key = { runId, hook: "before_main_llm" };
  expect(executor.attempts).toEqual([
    { ...key, operationId: "b", attempt: 1 },
    { ...key, operationId: "a", attempt: 1 },
    { ...key, operationId: "b", attempt: 2 },
    { runId, hook: "after_main_llm", operationId: "a", attempt: 1 },
  ]);
  expect(calls).toBe(4);
  expect(executor.events).toEqual(await runs.readEvents(runId));
});

it("tells the executor what a stored run is going to do, in the order of its plan", async () => {
  const executor = createRecordingExecutor();
  const { engine, profile, runs } = open(executor, async () => ({ status: "done" }));
  const run = await engine.start({ ...turn, profile });
  await run.result;
  const stored = await runs.loadRun(run.runId);
  expect(stored && (await executor.engine?.operationsOf(stored.input))).toEqual([
    { hook: "before_main_llm", operationId: "b" },
    { hook: "before_main_llm", operationId: "a" },
    { hook: "after_main_llm", operationId: "a" },
  ]);
});

it("records what an executor throws as an error of the operation", async () => {
  const executor = createRecordingExecutor(() =>
    Promise.reject(new Error("The executor is out of order.")),
  );
  const { engine, profile } = open(executor, async () => ({ status: "done" }));
  const { operationRuns } = await (await engine.start({ ...turn, profile })).result;
  expect(operationRuns.map(({ status, errorCode }) => [status, errorCode])).toEqual([
    ["error", "internal_error"],
    ["error", "internal_error"],
    ["error", "internal_error"],
  ]);
});

it("lets the executor end a run, and calls no handler of an attempt that it comes to after that", async () => {
  let calls = 0;
  let goOn: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const late: Promise<unknown>[] = [];
  const executor: Carried = createRecordingExecutor(async ({ runId }, execute) => {
    executor.engine?.abort(runId, "enough");
    await held;
    const outcome = execute();
    late.push(outcome.catch(() => undefined));
    return outcome;
  });
  const { engine, profile } = open(executor, async () => {
    calls += 1;
    return { status: "done" };
  });
  const result = await (await engine.start({ ...turn, profile })).result;
  expect([result.status, result.finishReason]).toEqual(["aborted", "user_abort"]);
  goOn();
  await held;
  await Promise.all(late);
  expect(late.length).toBeGreaterThan(0);
  expect(calls).toBe(0);
  executor.engine?.abort("another run");
});

it.each([
  { handlerMs: 90, ended: ["done", undefined] },
  { handlerMs: 110, ended: ["error", "timeout"] },
])(
  "counts the time of an attempt from the call of its handler: $handlerMs ms of 100",
  async ({ handlerMs, ended }) => {
    const clock = createVirtualClock();
    const executor = createRecordingExecutor(async (_, execute) => {
      await clock.advance(1_000);
      return execute();
    });
    const registry = createOperationRegistry();
    registry.register({ operationId: "a", kind: "test", name: "A" }, async () => {
      await clock.advance(handlerMs);
      return { status: "done" };
    });
    const config = {
      enabled: true,
      required: false,
      hooks: ["before_main_llm" as const],
      order: 0,
    };
    const profile: OperationProfile = {
      profileId: "p",
      name: "P",
      enabled: true,
      operationProfileSessionId: "1",
      operations: [{ operationId: "a", config: { ...config, params: { timeoutMs: 100 } } }],
    };
    const engine = createRunEngine({
      registry,
      mainModel: createScriptedModel(["Hello."]),
      clock,
      executor,
    });
    const { operationRuns } = await (await engine.start({ ...turn, profile })).result;
    expect(operationRuns.map(({ status, errorCode }) => [status, errorCode])).toEqual([ended]);
    expect(clock.pendingTimers).toBe(0);
  },
);
