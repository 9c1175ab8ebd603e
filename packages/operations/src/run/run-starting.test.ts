import type { LanguageModel, ModelResponse } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { readState } from "../ports/chat-state.ts";
import type { OperationOutcome } from "../operation/operation-definition.ts";
import { createManualScheduler } from "../testing/create-manual-scheduler.ts";
import { settlePromises } from "../testing/create-virtual-clock.ts";
import {
  done,
  scenario,
  write,
  type ScenarioOperation,
} from "../../test-support/engine-scenario.ts";
import type { RunEvent } from "../events/run-event.ts";
import { createOperationStores } from "../stores/create-operation-stores.ts";
import { createRunEngine } from "./create-run-engine.ts";
import type { StartOptions } from "./engine-options.ts";

const held = (): {
  operations: ScenarioOperation[];
  scheduler: ReturnType<typeof createManualScheduler>;
} => {
  const scheduler = createManualScheduler();
  return { operations: [{ id: "a", does: scheduler.hold(async () => done()) }], scheduler };
};

describe("start", () => {
  it.each<[string, Partial<StartOptions>]>([
    ["invalid_options", { chatId: "" }],
    ["invalid_options", { branchId: "a\nb" }],
    ["invalid_options", { profileRef: "x" }],
    ["invalid_options", { deadlineAt: Number.NaN }],
    ["invalid_options", { deadlineAt: 999 }],
    ["invalid_options", { timeoutMs: 0 }],
    ["invalid_options", { timeoutMs: 10, deadlineAt: 9_000 }],
    ["invalid_options", { message: "" }],
    ["invalid_options", { message: [] }],
    ["invalid_options", { trigger: "regenerate" }],
    ["invalid_options", JSON.parse('{"trigger":"repeat"}')],
    ["invalid_profile", { profile: JSON.parse('{"profileId":""}') }],
    ["aborted", { signal: AbortSignal.abort() }],
  ])("refuses with %s what no run can be made of: %j", async (code, options) => {
    const world = scenario();
    await expect(world.engine.start({ ...world.start, ...options })).rejects.toMatchObject({
      code,
    });
    expect((await world.runs.listRuns()).runs).toEqual([]);
  });

  it("refuses unknown profiles and turns, and a turn without a message", async () => {
    const world = scenario();
    const { profile: _profile, message: _message, ...bare } = world.start;
    await expect(
      world.engine.start({ ...bare, message: "x", profileRef: "none" }),
    ).rejects.toMatchObject({
      code: "unknown_profile",
    });
    await expect(world.engine.start({ ...bare, userMessageId: "none" })).rejects.toMatchObject({
      code: "unknown_turn",
    });
    await expect(world.engine.start({ ...bare, trigger: "regenerate" })).rejects.toMatchObject({
      code: "unknown_turn",
    });
    await expect(world.engine.start(bare)).rejects.toMatchObject({ code: "invalid_options" });
    await expect(world.engine.resume("none")).rejects.toMatchObject({ code: "unknown_run" });
  });

  it("makes one run of the same request, however often and whenever it comes within a day", async () => {
    const { operations, scheduler } = held();
    const world = scenario({ operations, answers: ["One.", "Two."] });
    const request = { ...world.start, clientRequestId: "q" };
    const handles = await Promise.all(
      Array.from({ length: 10 }, () => world.engine.start(request)),
    );
    expect(new Set(handles.map(({ runId }) => runId)).size).toBe(1);
    await settlePromises();
    scheduler.pending[0]?.end();
    const results = await Promise.all(handles.map(({ result }) => result));
    expect(new Set(results).size).toBe(1);
    const again = await world.engine.start(request);
    expect(again.runId).toBe(handles[0]?.runId);
    expect((await again.result).mainLlm.text).toBe("One.");
    await expect(world.engine.start({ ...request, message: "Other" })).rejects.toMatchObject({
      code: "idempotency_conflict",
      details: { runId: again.runId },
    });
    await world.clock.advance(24 * 3_600_000);
    const next = await world.engine.start(request);
    expect(next.runId).not.toBe(again.runId);
    await settlePromises();
    scheduler.pending[0]?.end();
    expect((await next.result).mainLlm.text).toBe("Two.");
  });

  it("rejects a second run of a branch, and lets other branches run", async () => {
    const { operations, scheduler } = held();
    const world = scenario({ operations, answers: ["One.", "Two."] });
    const first = await world.engine.start(world.start);
    await expect(world.engine.start(world.start)).rejects.toMatchObject({
      code: "run_active",
      details: { runId: first.runId },
    });
    const other = await world.engine.start({ ...world.start, branchId: "other" });
    const results = await scheduler.runUntil(Promise.all([first.result, other.result]), () => 0);
    expect(results.map(({ status }) => status)).toEqual(["done", "done"]);
  });

  it("queues runs of a branch in the order of their starts", async () => {
    const { operations, scheduler } = held();
    const world = scenario({
      operations,
      whenActive: "queue",
      answers: ["One.", "Two.", "Three."],
    });
    const starts = ["A", "B", "C"].map((message) =>
      world.engine.start({ ...world.start, message }),
    );
    const results = Promise.all(starts.map(async (start) => (await start).result));
    const texts = (await scheduler.runUntil(results, () => 0)).map(({ mainLlm }) => mainLlm.text);
    expect([texts, scheduler.maxConcurrent]).toEqual([["One.", "Two.", "Three."], 1]);
    const turns = await world.chat.turns({ chatId: "chat", branchId: "main" });
    expect(turns.map(({ userVariants }) => userVariants[0]?.content)).toEqual(["A", "B", "C"]);
  });

  it("begins a run that has waited for its branch with the time, the last turn and the profile of then", async () => {
    const { operations, scheduler } = held();
    const world = scenario({
      operations,
      whenActive: "queue",
      answers: ["One.", "Two.", "Three."],
    });
    const { profile: _profile, message: _message, ...bare } = world.start;
    await world.engine.saveProfile(world.profile);
    const first = await world.engine.start(world.start);
    await scheduler.runUntil(first.result, () => 0);
    const second = await world.engine.start({ ...world.start, message: "Second" });
    await settlePromises();
    const waits = world.engine.start({ ...bare, trigger: "regenerate", profileRef: "profile" });
    await world.engine.resetProfileSession("profile");
    await world.clock.advance(100_000);
    scheduler.pending[0]?.end();
    const third = await waits;
    const stored = await world.runs.loadRun(third.runId);
    const secondInput = (await world.runs.loadRun(second.runId))?.input;
    expect(stored?.lease?.expiresAtMs).toBeGreaterThan(world.clock.now());
    expect(stored?.input).toMatchObject({
      startedAt: 101_000,
      userMessageId: secondInput?.userMessageId,
    });
    expect(stored?.input.profile?.operationProfileSessionId).not.toBe("session");
    await scheduler.runUntil(third.result, () => 0);
    expect((await third.result).durationMs).toBe(0);
  });

  it("aborts the run before where it is told to", async () => {
    const world = scenario({
      operations: [
        {
          id: "a",
          does: ({ signal, runId }) =>
            new Promise<OperationOutcome>((resolve) => {
              if (runId === "id-5") resolve(done());
              signal.addEventListener("abort", () => resolve({ status: "aborted" }), {
                once: true,
              });
            }),
        },
      ],
    });
    const first = await world.engine.start(world.start);
    await settlePromises();
    const second = await world.engine.start({ ...world.start, whenActive: "abort_previous" });
    expect((await first.result).status).toBe("aborted");
    second.abort();
    expect((await second.result).status).toBe("aborted");
  });

  it("gives up waiting in the queue when its signal is aborted", async () => {
    const { operations, scheduler } = held();
    const world = scenario({ operations });
    const first = await world.engine.start(world.start);
    const controller = new AbortController();
    const second = world.engine.start({
      ...world.start,
      whenActive: "queue",
      signal: controller.signal,
    });
    await settlePromises();
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    expect((await scheduler.runUntil(first.result, () => 0)).status).toBe("done");
  });
});

describe("a turn that is generated again", () => {
  it("works on the state in which the turn began, and makes versions that hang on it", async () => {
    const count: ScenarioOperation = {
      id: "count",
      hooks: ["after_main_llm"],
      writesTag: "count",
      does: async ({ artifacts, main }) => {
        const before = artifacts["count"]?.value;
        return done(write("count", [...(Array.isArray(before) ? before : []), main?.text]));
      },
    };
    const world = scenario({ operations: [count], answers: ["A1", "B1", "B2", "C1"] });
    const key = {
      chatId: "chat",
      branchId: "main",
      profileId: "profile",
      operationProfileSessionId: "session",
    };
    const again = {
      trigger: "regenerate" as const,
      chatId: "chat",
      branchId: "main",
      profile: world.profile,
    };
    await (
      await world.engine.start(world.start)
    ).result;
    await (
      await world.engine.start({ ...world.start, message: "Second" })
    ).result;
    const result = await (await world.engine.start(again)).result;
    expect(result.artifacts).toMatchObject([{ value: ["A1", "B2"], version: 2 }]);
    const [artifact] = await readState(world.chat, key);
    expect(artifact).toMatchObject({
      version: 2,
      parentVersion: 1,
      history: [{ version: 1, value: ["A1"] }],
    });
    const turns = await world.chat.turns({ chatId: "chat", branchId: "main" });
    expect(
      turns.map(({ assistantVariants, selectedAssistant }) => [
        assistantVariants.length,
        selectedAssistant,
      ]),
    ).toEqual([
      [1, 0],
      [2, 1],
    ]);
    await (
      await world.engine.start({ ...world.start, message: "Third" })
    ).result;
    expect((await readState(world.chat, key))[0]?.value).toEqual(["A1", "B2", "C1"]);
  });
});

describe("stored profiles", () => {
  it("are checked when they are saved, counted, used by their id, and begin afresh after a reset", async () => {
    const world = scenario({
      operations: [
        {
          id: "a",
          writesTag: "a",
          does: async ({ artifacts }) => done(write("a", Number(artifacts["a"]?.value ?? 0) + 1)),
        },
      ],
      answers: ["1", "2", "3"],
    });
    const { profile: _profile, ...bare } = world.start;
    const refused = await world.engine.saveProfile({
      ...world.profile,
      operations: [...world.profile.operations, ...world.profile.operations],
    });
    expect(refused).toMatchObject({ ok: false, issues: [{ code: "duplicate_operation" }] });
    expect(await world.engine.saveProfile(world.profile)).toMatchObject({
      ok: true,
      value: { version: 1 },
    });
    const value = async (): Promise<unknown> =>
      (await (await world.engine.start({ ...bare, profileRef: "profile" })).result).artifacts[0]
        ?.value;
    expect([await value(), await value()]).toEqual([1, 2]);
    const reset = await world.engine.resetProfileSession("profile");
    expect(reset).toMatchObject({ version: 2 });
    expect(await value()).toBe(1);
    const old = {
      chatId: "chat",
      branchId: "main",
      profileId: "profile",
      operationProfileSessionId: "session",
    };
    expect((await readState(world.chat, old))[0]?.value).toBe(2);
    await expect(world.engine.resetProfileSession("none")).rejects.toMatchObject({
      code: "unknown_profile",
    });
  });
});

describe("events", () => {
  it("can be read from any number on, live and afterwards, by many readers", async () => {
    const { operations, scheduler } = held();
    const world = scenario({ operations });
    const handle = await world.engine.start(world.start);
    const read = async (afterSeq?: number): Promise<number[]> => {
      const seqs: number[] = [];
      for await (const { seq } of world.engine.events(
        handle.runId,
        afterSeq === undefined ? {} : { afterSeq },
      ))
        seqs.push(seq);
      return seqs;
    };
    const readers = [read(), read(0), read(3)];
    await settlePromises();
    await scheduler.runUntil(handle.result, () => 0);
    const all = await read();
    expect(all).toEqual(all.map((_, index) => index + 1));
    expect(await Promise.all(readers)).toEqual([all, all, all.slice(3)]);
    expect(await read(all.length)).toEqual([]);
  });

  it.each([-1, 0.5, Number.NaN])("can't be read after %d, live or afterwards", async (afterSeq) => {
    const world = scenario();
    const handle = await world.engine.start(world.start);
    const read = () =>
      world.engine.events(handle.runId, { afterSeq })[Symbol.asyncIterator]().next();
    await expect(read()).rejects.toMatchObject({ code: "invalid_options" });
    await handle.result;
    await expect(read()).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("go on whatever listeners do, and nobody can change them", async () => {
    const world = scenario({ operations: [{ id: "a" }] });
    const handle = await world.engine.start(world.start);
    const heard: RunEvent[] = [];
    handle.onEvent(() => {
      throw new Error("listener");
    });
    handle.onEvent(() => Promise.reject(new Error("listener")));
    handle.onEvent(() => new Promise(() => {}));
    const stop = handle.onEvent((event) => heard.push(event));
    handle.onEvent((event) => {
      expect(() => Object.assign(event, { seq: 0 })).toThrow(TypeError);
    });
    expect((await handle.result).status).toBe("done");
    stop();
    expect(heard.map(({ seq }) => seq)).toEqual(
      (await world.runs.readEvents(handle.runId)).map(({ seq }) => seq).slice(-heard.length),
    );
    expect(heard.length).toBeGreaterThan(5);
  });

  it("of the answer come together and in bounded pieces that join to it", async () => {
    const text = "🙂 answer ".repeat(2_000);
    const mainModel = createScriptedModel([text]);
    const world = scenario({ mainModel });
    const handle = await world.engine.start(world.start);
    await handle.result;
    const deltas: { text: string; offset: number }[] = [];
    for await (const event of handle.events)
      if (event.type === "main_llm.delta") deltas.push(event);
    expect(deltas.map((delta) => delta.text).join("")).toBe(text);
    expect(deltas.length).toBeLessThan(10);
    expect(
      deltas.every((delta) => delta.text.length <= 4_096 && !/[\uD800-\uDBFF]$/u.test(delta.text)),
    ).toBe(true);
    expect(deltas.map(({ offset }) => offset)).toEqual(
      deltas.map((_, at) => deltas.slice(0, at).reduce((sum, delta) => sum + delta.text.length, 0)),
    );
    expect(world.clock.pendingTimers).toBe(0);
  });

  it("of the answer are well-formed, wherever the model cuts it", async () => {
    const pieces = ["a\uD83D", "\uDE42b", "\uDE42", "c\uD83D"];
    const response: ModelResponse = { text: "", toolCalls: [], finishReason: "stop" };
    const mainModel: LanguageModel = {
      ...createScriptedModel([]),
      async *stream() {
        for (const text of pieces) yield { type: "text", text };
        yield { type: "finish", response };
      },
    };
    const world = scenario({ mainModel });
    const run = await world.engine.start(world.start);
    const texts: string[] = [];
    for await (const event of run.events)
      if (event.type === "main_llm.delta") texts.push(event.text);
    expect(texts).toEqual(["a", "🙂b\uFFFDc", "\uFFFD"]);
    expect((await run.result).mainLlm.text).toBe(texts.join(""));
    expect(world.clock.pendingTimers).toBe(0);
  });
});

it("refuses a chat apart from its runs", () => {
  const [stores, other] = [createOperationStores(), createOperationStores()];
  const options = { mainModel: createScriptedModel([]), recover: false, ...stores };
  expect(() => createRunEngine(options)).not.toThrow();
  const apart = { ...options, chat: other.chat };
  expect(() => createRunEngine(apart)).toThrow("chat of its runs");
});

describe("commits", () => {
  it("that cannot be stored are reported as discarded", async () => {
    for (const hooks of [["before_main_llm"], ["after_main_llm"]] as const) {
      const operation = { id: "a", hooks: [...hooks], writesTag: "a", does: done(write("a", 1)) };
      const world = scenario({ operations: [operation] });
      const { append } = world.runs;
      world.runs.append = async (added, call) => {
        if (added.commit !== undefined) throw new Error("The disk is full.");
        return append(added, call);
      };
      const { status, commitLog, artifacts } = await (await world.engine.start(world.start)).result;
      expect([status, commitLog.map(({ commitStatus }) => commitStatus), artifacts]).toEqual([
        "failed",
        ["discarded"],
        [],
      ]);
    }
  });

  it("in conflict are an error of the operation, and of the run where it is required", async () => {
    const operation = (
      required: boolean,
      hooks: ScenarioOperation["hooks"],
    ): ScenarioOperation => ({
      id: "a",
      required,
      hooks: hooks ?? [],
      writesTag: "a",
      does: done(write("a", 1, { expectedVersion: 7 })),
    });
    const run = async (one: ScenarioOperation) => {
      const world = scenario({ operations: [one] });
      return (await world.engine.start(world.start)).result;
    };
    expect(await run(operation(false, ["before_main_llm"]))).toMatchObject({
      status: "done",
      commitLog: [{ commitStatus: "error", errorCode: "artifact_conflict" }],
    });
    expect(await run(operation(true, ["before_main_llm"]))).toMatchObject({
      status: "failed",
      failedType: "before_barrier",
      mainLlm: { executed: false },
      failedDetails: { errorCode: "artifact_conflict" },
    });
    expect(await run(operation(true, ["after_main_llm"]))).toMatchObject({
      status: "failed",
      failedType: "after_main_llm",
      mainLlm: { executed: true },
    });
  });
});
