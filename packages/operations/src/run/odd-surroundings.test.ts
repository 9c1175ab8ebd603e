import { createScriptedModel } from "@ccl/core/testing";
import type { LanguageModel } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { createRunStore } from "../stores/create-run-store.ts";
import { createLocalExecutor } from "../ports/create-local-executor.ts";
import { createVirtualClock, settlePromises } from "../testing/create-virtual-clock.ts";
import { done, registryOf, scenario } from "../../test-support/engine-scenario.ts";
import { createRunEngine } from "./create-run-engine.ts";

const oddErrors: [string, unknown][] = [
  ["a message that is no text", Object.assign(new Error("x"), { message: { code: 500 } })],
  [
    "a message that throws",
    Object.defineProperty(new Error("x"), "message", {
      get() {
        throw new Error("No.");
      },
    }),
  ],
  ["nothing", undefined],
];

/** Streams the pieces, then fails. */
function brokenModel(pieces: readonly string[], error: unknown): LanguageModel {
  return {
    provider: "test",
    modelId: "test",
    generate: () => Promise.reject(new Error("It streams.")),
    async *stream() {
      for (const text of pieces) yield { type: "text" as const, text };
      throw error;
    },
  };
}

describe.each(oddErrors)("%s", (_name, error) => {
  it("fails the operation that was rejected with it, and nothing else", async () => {
    const world = scenario({
      operations: [{ id: "a", does: () => Promise.reject(error as Error) }],
    });
    const { result } = await world.engine.start(world.start);
    const { status, operationRuns } = await result;
    expect([status, operationRuns[0]?.status, operationRuns[0]?.errorCode]).toEqual([
      "done",
      "error",
      "internal_error",
    ]);
  });

  it("ends the run where the main model throws it", async () => {
    const world = scenario({ mainModel: brokenModel([], error) });
    const { result } = await world.engine.start(world.start);
    expect(await result).toMatchObject({
      status: "failed",
      failedDetails: { errorCode: "provider_error" },
    });
  });
});

it.each([
  ["boom", "internal_error", "boom"],
  [{ code: "timeout", message: 5 }, "timeout", "The handler returned an error without a message."],
  [{ message: "Down." }, "internal_error", "Down."],
  [null, "internal_error", "The handler returned an error without a message."],
])("takes %j for the error of an operation", async (error, code, message) => {
  const outcome = JSON.parse(JSON.stringify({ status: "error", error }));
  const world = scenario({ operations: [{ id: "a", does: outcome }] });
  const { operationRuns } = await (await world.engine.start(world.start)).result;
  expect(operationRuns).toMatchObject([
    { status: "error", errorCode: code, errorMessage: message },
  ]);
});

it("ends a run whose listeners throw, and the handler of that as well", async () => {
  const fail = (): never => {
    throw new Error("thrown by a listener");
  };
  const world = scenario({
    operations: [{ id: "a", does: done() }],
    onListenerError: fail,
    onPrompt: fail,
  });
  const run = await world.engine.start(world.start);
  run.onEvent(fail);
  expect((await run.result).status).toBe("done");
  expect((await world.runs.loadRun(run.runId))?.result?.status).toBe("done");
});

it("skips without a reason that is no text", async () => {
  const outcome = JSON.parse('{"status":"skipped","skippedReason":{"a":1}}');
  const world = scenario({ operations: [{ id: "a", does: outcome }] });
  const { operationRuns } = await (await world.engine.start(world.start)).result;
  expect(operationRuns.map(({ status, skippedReason }) => [status, skippedReason])).toEqual([
    ["skipped", undefined],
  ]);
});

it("takes null for no summaries, and summaries that throw for a failure", async () => {
  const throwing = {
    get inputsSummary(): Record<string, unknown> {
      throw new Error("No.");
    },
  };
  const world = scenario({
    operations: [
      { id: "a", does: async () => ({ ...done(), debug: null as unknown as object }) },
      { id: "b", does: async () => ({ ...done(), debug: throwing }) },
    ],
  });
  const { result } = await world.engine.start(world.start);
  const { status, operationRuns } = await result;
  expect([status, ...operationRuns.map((run) => run.status)]).toEqual(["done", "done", "error"]);
});

it("keeps what was read of an answer whose stream breaks off", async () => {
  const world = scenario({ mainModel: brokenModel(["Once upon"], new Error("socket hang up")) });
  const { result } = await world.engine.start(world.start);
  expect((await result).mainLlm).toMatchObject({
    status: "error",
    finishReason: "provider_error",
    text: "Once upon",
    partial: true,
  });
  const [turn] = await world.chat.turns({ chatId: "chat", branchId: "main" });
  expect(turn?.assistantVariants).toMatchObject([{ content: "Once upon", partial: true }]);
});

it.each([
  ["an event", {}, undefined],
  ["an error", new Error("The tab was closed."), "The tab was closed."],
])("aborts a run with %s for a reason", async (_name, reason, shown) => {
  const world = scenario({ operations: [{ id: "a", does: () => new Promise(() => {}) }] });
  const handle = await world.engine.start(world.start);
  await settlePromises();
  handle.abort(reason as string);
  await world.clock.advance(2_000);
  expect((await handle.result).status).toBe("aborted");
  const stop = (await world.runs.loadRun(handle.runId))?.steps.find(({ kind }) => kind === "stop");
  expect(stop).toEqual({
    kind: "stop",
    cause: "user_abort",
    reason: shown,
  });
});

it("looks again after a look at the store that failed", async () => {
  const clock = createVirtualClock(1_000);
  const runs = createRunStore();
  const first = scenario({
    runs,
    clock,
    operations: [{ id: "a", does: () => new Promise(() => {}) }],
  });
  const handle = await first.engine.start(first.start);
  await settlePromises();
  let looks = 0;
  const flaky = {
    ...runs,
    loadRun: async (runId: string) => {
      looks += 1;
      if (looks === 2) throw new Error("connection reset");
      return runs.loadRun(runId);
    },
  };
  const second = createRunEngine({
    registry: first.registry,
    runs: flaky,
    clock,
    mainModel: createScriptedModel([]),
  });
  const watched = await second.resume(handle.runId);
  await clock.advance(1_000);
  handle.abort();
  await clock.advance(4_000);
  expect(looks).toBeGreaterThan(2);
  expect((await watched.result).status).toBe("aborted");
  expect(await watched.result).toEqual(await handle.result);
});

it("stores again what it has no outcome for", async () => {
  const runs = createRunStore();
  let calls = 0;
  const append: typeof runs.append = async (appends) => {
    calls += 1;
    const outcomes = await runs.append(appends);
    return calls === 1 ? (undefined as unknown as typeof outcomes) : outcomes;
  };
  const world = scenario({
    runs: { ...runs, append },
    mainModel: createScriptedModel(["One.", "Another."]),
  });
  const broken = await world.engine.start(world.start);
  expect((await broken.result).runId).toBe(broken.runId);
  const next = await world.engine.start({
    ...world.start,
    branchId: "other",
    profile: { ...world.profile },
  });
  expect((await next.result).status).toBe("done");
});

describe("a run that can't be planned any more", () => {
  async function abandoned() {
    const clock = createVirtualClock(1_000);
    const runs = createRunStore();
    const world = scenario({
      runs,
      clock,
      operations: [{ id: "old", does: () => new Promise(() => {}) }],
    });
    const dead = { now: () => clock.now(), schedule: () => () => {} };
    const options = { runs, mainModel: createScriptedModel(["Yes.", "Yes."]) };
    const { runId } = await createRunEngine({
      ...options,
      registry: world.registry,
      clock: dead,
    }).start(world.start);
    await settlePromises();
    await clock.advance(30_001);
    const engine = createRunEngine({ ...options, registry: registryOf([]), clock });
    const { profile: _, ...start } = world.start;
    return { runs, runId, engine, start };
  }

  it("is aborted by the next start, which waits for its end", async () => {
    const { engine, runId, runs, start } = await abandoned();
    const next = await engine.start({ ...start, whenActive: "queue" });
    expect((await next.result).status).toBe("done");
    expect((await runs.loadRun(runId))?.result).toMatchObject({ status: "aborted" });
  });

  it("ends with the abort that a new start asks for", async () => {
    const { engine, runId, runs, start } = await abandoned();
    const next = await engine.start({ ...start, whenActive: "abort_previous" });
    expect((await next.result).status).toBe("done");
    const stored = await runs.loadRun(runId);
    expect(stored?.result).toMatchObject({ status: "aborted", finishReason: "user_abort" });
    expect((await runs.readEvents(runId)).at(-1)?.type).toBe("run.finished");
  });
});

it("refuses to answer a known message with another text", async () => {
  const world = scenario({ answers: ["Yes.", "Yes.", "Yes."] });
  const ask = async (message: string) =>
    (await world.engine.start({ ...world.start, userMessageId: "m", message })).result;
  expect((await ask("Is it?")).status).toBe("done");
  expect((await ask("Is it?")).status).toBe("done");
  expect(await ask("Is it not?")).toMatchObject({
    status: "failed",
    mainLlm: { executed: false },
    failedDetails: { errorCode: "idempotency_conflict" },
  });
});

it.each([
  ["null", { message: null }],
  ["a number", { message: 5 }],
  ["an object", { message: { a: 1 } }],
  ["a part without a type", { message: [{ text: "Hi" }] }],
  ["half a character", { message: "\ud800" }],
  ["a number too large for JSON", { message: [{ type: "text", text: 1n }], clientRequestId: "r" }],
  ["a signal that is none", { signal: {} }],
])("does not start with %s, and keeps nothing of it", async (_name, wrong) => {
  const world = scenario();
  await expect(world.engine.start({ ...world.start, ...(wrong as object) })).rejects.toMatchObject({
    code: "invalid_options",
  });
  expect((await world.runs.listRuns()).runs).toEqual([]);
});

it("says which run its executor did not take", async () => {
  const executor = {
    ...createLocalExecutor(),
    submit: () => Promise.reject(new TypeError("DBOS is not launched.")),
  };
  const world = scenario({ executor });
  await expect(world.engine.start(world.start)).rejects.toMatchObject({
    code: "unavailable",
    details: { runId: expect.any(String) },
  });
});

it.each([{ graceMs: -1 }, { pollMs: 0 }, { concurrency: Number.NaN }, { prompt: {} as never }])(
  "refuses the limits %o",
  (limits) => {
    expect(() => scenario({ limits })).toThrow(
      expect.objectContaining({ code: "invalid_options" }),
    );
  },
);

it("listens once to a signal, however many runs and attempts wait for it", async () => {
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  const world = scenario({ operations: [{ id: "a", does: () => new Promise(() => {}) }] });
  const handles = await Promise.all(
    ["a", "b", "c"].map((branchId) => world.engine.start({ ...world.start, branchId, signal })),
  );
  await settlePromises();
  controller.abort();
  await world.clock.advance(2_000);
  const results = await Promise.all(handles.map(({ result }) => result));
  expect([listeners, ...results.map(({ status }) => status)]).toEqual([
    1,
    "aborted",
    "aborted",
    "aborted",
  ]);
});
