import { LanguageModelError, type LanguageModel } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import type { OperationOutcome } from "../operation/operation-definition.ts";
import type { ChatStore } from "../ports/chat-store.ts";
import type { RunStore } from "../ports/run-store.ts";
import { createRunStore } from "../stores/create-run-store.ts";
import { done, scenario, write, type Scenario } from "../../test-support/engine-scenario.ts";

const hang = (): Promise<never> => new Promise(() => {});

describe("the effects of an operation", () => {
  const nested = Array.from({ length: 1_000 }, (_, at) => ({ at, list: [1, 2, 3] }));
  it.each([
    ["a long text", "x".repeat(10_000_000)],
    ["many items", Array.from({ length: 1_000_000 }, () => 1)],
    ["many objects", Array.from({ length: 1_000 }, () => nested)],
    ["long keys", { ["k".repeat(1_000_001)]: 1 }],
  ])("are refused beyond their limit, without a copy of them: %s", async (_name, value) => {
    const world = scenario({
      operations: [{ id: "big", writesTag: "big", does: done(write("big", value)) }],
    });
    const { operationRuns, artifacts } = await (await world.engine.start(world.start)).result;
    expect(operationRuns[0]).toMatchObject({ status: "error", errorCode: "budget_exceeded" });
    expect(artifacts).toEqual([]);
  });

  it.each([
    [100, "error"],
    [10_000, "done"],
  ])("have the limit that the engine is given: %d", async (maxEffectChars, status) => {
    const world = scenario({
      limits: { maxEffectChars },
      operations: [{ id: "big", writesTag: "big", does: done(write("big", "x".repeat(1_000))) }],
    });
    const { operationRuns } = await (await world.engine.start(world.start)).result;
    expect(operationRuns[0]?.status).toBe(status);
  });
});

it("an error keeps what its handler says about it, masked and cut", async () => {
  const details = {
    at: 3,
    key: `sk-ant-api03-${"a".repeat(95)}`,
    long: "x".repeat(5_000),
    apiKey: "k",
  };
  const fails = async (): Promise<OperationOutcome> => ({
    status: "error",
    error: { code: "provider_error", message: "No.", details },
  });
  const world = scenario({ operations: [{ id: "bad", required: false, does: fails }] });
  const handle = await world.engine.start(world.start);
  const { operationRuns } = await handle.result;
  expect(operationRuns[0]?.errorDetails).toEqual({
    at: 3,
    key: "[redacted:anthropic_key]",
    long: `${"x".repeat(511)}…`,
  });
  const { steps = [] } = (await world.runs.loadRun(handle.runId)) ?? {};
  expect(steps[0]).toMatchObject({ error: { details: { at: 3 } } });
});

it("a model's retries are in the journal, and counted", async () => {
  const failing = new LanguageModelError("provider_error", "overloaded");
  const model = createScriptedModel([failing, failing, failing, "Fine."]);
  const params = {
    providerRef: "p",
    model: "m",
    credentialRef: "c",
    prompt: "Say it.",
    retry: { maxAttempts: 4, backoffMs: 0 },
    writeArtifact: { tag: "said", persisted: false, usage: "internal", semantics: "intermediate" },
  };
  const world = scenario({ models: () => model, operations: [{ id: "ask", kind: "llm", params }] });
  const handle = await world.engine.start(world.start);
  const { operationRuns } = await handle.result;
  expect(operationRuns[0]).toMatchObject({ status: "done", attempts: 4 });
  const { steps = [] } = (await world.runs.loadRun(handle.runId)) ?? {};
  const attempts = steps.flatMap((step) =>
    step.kind === "operation"
      ? [[step.attempt, step.status, step.willRetry, step.error?.code]]
      : [],
  );
  expect(attempts).toEqual([
    [1, "error", true, "provider_error"],
    [2, "error", true, "provider_error"],
    [3, "error", true, "provider_error"],
    [4, "done", undefined, undefined],
  ]);
});

describe("a store that hangs", () => {
  type Hanging = [string, { runs?: keyof RunStore; chat?: keyof ChatStore }];
  const cases: Hanging[] = [
    ["as the chat is loaded", { chat: "loadTurn" }],
    ["as the state is read", { chat: "keptState" }],
    ["in the journal", { runs: "append" }],
    ["at several places", { chat: "keptState", runs: "append" }],
  ];
  const hanging = ({ runs, chat }: Hanging[1]): Scenario => {
    const store = createRunStore();
    if (chat !== undefined) Object.assign(store.chat, { [chat]: hang });
    return scenario({
      runs: Object.assign(store, runs && { [runs]: hang }),
      operations: [{ id: "op", writesTag: "a", does: done(write("a", 1)) }],
    });
  };

  it.each(cases)("does not keep an aborted run from its end: %s", async (_name, which) => {
    const world = hanging(which);
    const handle = await world.engine.start(world.start);
    await world.clock.advance(100);
    handle.abort();
    await world.clock.advance(5_000);
    expect(await handle.result).toMatchObject({ status: "aborted", finishReason: "user_abort" });
  });

  it.each(cases)("ends the run after a time: %s", async (_name, which) => {
    const world = hanging(which);
    const handle = await world.engine.start(world.start);
    await world.clock.advance(150_000);
    expect((await handle.result).status).toBe("failed");
  });

  it("does not keep a start whose signal is aborted", async () => {
    const controller = new AbortController();
    const world = hanging({ runs: "createRun" });
    const started = world.engine.start({ ...world.start, signal: controller.signal });
    const rejected = started.catch((error: unknown) => error);
    controller.abort();
    await world.clock.advance(3_000);
    expect(await rejected).toMatchObject({ code: "aborted" });
  });
});

it("an aborted start whose store made the run late leaves no run that anyone resumes", async () => {
  const runs = createRunStore();
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const mainModel: LanguageModel = createScriptedModel(["No.", "Yes."]);
  const world = scenario({
    mainModel,
    runs: { ...runs, createRun: async (run) => (await gate, runs.createRun(run)) },
  });
  const controller = new AbortController();
  const started = world.engine.start({ ...world.start, signal: controller.signal });
  const rejected = started.catch((error: unknown) => error);
  controller.abort();
  await world.clock.advance(3_000);
  expect(await rejected).toMatchObject({ code: "aborted" });
  release();
  await world.clock.advance(100);
  const next = await world.engine.start({ ...world.start, message: "Next" });
  const { mainLlm } = await next.result;
  expect(mainLlm.text).toBe("No.");
});
