import { estimatedCounter, LanguageModelError } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { readState } from "../ports/chat-state.ts";
import type { OperationContext } from "../operation/operation-definition.ts";
import { createVirtualClock } from "../testing/create-virtual-clock.ts";
import { done, scenario, write } from "../../test-support/engine-scenario.ts";
import type { RunEvent, RunResult } from "../events/run-event.ts";
import type { Scenario, ScenarioOperation } from "../../test-support/engine-scenario.ts";

const after = ["after_main_llm"] as ["after_main_llm"];

async function run(world: Scenario, options: Partial<Scenario["start"]> = {}): Promise<RunResult> {
  return (await world.engine.start({ ...world.start, ...options })).result;
}

const statusOf = (result: RunResult, id: string): string => {
  const found = result.operationRuns.find(({ operationId }) => operationId === id);
  return [found?.status, found?.skippedReason ?? found?.errorCode].filter(Boolean).join("/");
};

describe("a run", () => {
  it("goes through its phases in order, with gapless events", async () => {
    const world = scenario({
      operations: [{ id: "a" }, { id: "b", hooks: after }, { id: "off", enabled: false }],
    });
    const handle = await world.engine.start(world.start);
    const events: RunEvent[] = [];
    for await (const event of handle.events) events.push(event);
    expect(
      events.map((event) => {
        const parts =
          "phase" in event
            ? [event.phase, event.hook]
            : "operationId" in event
              ? [event.operationId]
              : [];
        return [event.seq, event.type, ...parts].filter((part) => part !== undefined).join(" ");
      }),
    ).toMatchInlineSnapshot(`
      [
        "1 run.started",
        "2 run.phase_changed planning",
        "3 operation.finished off",
        "4 run.phase_changed before_main_llm",
        "5 operation.started a",
        "6 operation.finished a",
        "7 run.phase_changed barrier",
        "8 run.phase_changed commit before_main_llm",
        "9 run.phase_changed main_llm",
        "10 main_llm.started",
        "11 main_llm.delta",
        "12 main_llm.delta",
        "13 main_llm.finished",
        "14 run.phase_changed after_main_llm",
        "15 operation.started b",
        "16 operation.finished b",
        "17 run.phase_changed commit after_main_llm",
        "18 run.phase_changed finished",
        "19 run.finished",
      ]
    `);
    expect(events.every(({ epoch, runId }) => epoch === 1 && runId === handle.runId)).toBe(true);
    expect((await handle.result).status).toBe("done");
  });

  it("makes the main call alone without a profile, and with one that is switched off", async () => {
    const world = scenario({ operations: [{ id: "a" }], answers: ["One.", "Two."] });
    const { profile: _profile, ...plain } = world.start;
    const first = await (await world.engine.start(plain)).result;
    expect([first.status, first.mainLlm.text, first.operationRuns]).toEqual(["done", "One.", []]);
    const second = await run(world, { profile: { ...world.profile, enabled: false } });
    expect([second.status, second.mainLlm.text, second.operationRuns]).toEqual([
      "done",
      "Two.",
      [],
    ]);
  });

  it("starts what an end sets free at the time of that end, later by what another handler has taken meanwhile", async () => {
    const clock = createVirtualClock();
    let timeMs = 1_000;
    const taking = (ms: number) => async () => {
      timeMs += ms;
      return done();
    };
    const operations = [
      { id: "a", does: taking(5) },
      { id: "b", order: 1, dependsOn: ["a"], does: taking(30) },
      { id: "c", order: 2, dependsOn: ["a"], does: taking(400) },
    ];
    const result = await run(scenario({ operations, clock: { ...clock, now: () => timeMs } }));
    expect(
      result.operationRuns.map(({ startedAt, finishedAt }) => [startedAt, finishedAt]),
    ).toEqual([
      [1_000, 1_005],
      [1_005, 1_435],
      [1_035, 1_435],
    ]);
  });

  it("does not call the main model where a required operation before it is not done", async () => {
    const world = scenario({
      operations: [
        {
          id: "a",
          required: true,
          does: { status: "error", error: { code: "provider_error", message: "No." } },
        },
        { id: "b", does: done(write("b", 1)), writesTag: "b" },
        { id: "c", hooks: after, required: true },
      ],
    });
    const result = await run(world);
    expect(result).toMatchObject({
      status: "failed",
      failedType: "before_barrier",
      failedDetails: { operationId: "a", errorCode: "provider_error", errorMessage: "No." },
      mainLlm: { executed: false },
    });
    expect(statusOf(result, "c")).toBe("skipped/barrier_failed");
    expect(
      result.commitLog.map(({ operationId, commitStatus }) => [operationId, commitStatus]),
    ).toEqual([["b", "discarded"]]);
    const key = {
      chatId: "chat",
      branchId: "main",
      profileId: "profile",
      operationProfileSessionId: "session",
    };
    expect(await readState(world.chat, key)).toEqual([]);
  });

  it("counts as failed where a required operation after the call is not done, and keeps the answer", async () => {
    const world = scenario({
      operations: [{ id: "a", hooks: after, required: true, does: { status: "skipped" } }],
    });
    const result = await run(world);
    expect(result).toMatchObject({
      status: "failed",
      failedType: "after_main_llm",
      mainLlm: { text: "The answer." },
    });
    expect(
      (await world.chat.turns({ chatId: "chat", branchId: "main" }))[0]?.assistantVariants,
    ).toHaveLength(1);
  });

  it("keeps what was committed before a main call that fails, and starts nothing after it", async () => {
    const failing = createScriptedModel([new LanguageModelError("rate_limited", "Slow down.")]);
    const world = scenario({
      mainModel: failing,
      operations: [
        {
          id: "a",
          does: done(write("a", 1), { type: "turn.user_variant", content: "Hi", select: true }),
          writesTag: "a",
        },
        { id: "b", hooks: after },
      ],
    });
    const result = await run(world);
    expect(result).toMatchObject({
      status: "failed",
      failedType: "main_llm",
      failedDetails: { errorCode: "rate_limited", errorMessage: "Slow down." },
      mainLlm: { executed: true, status: "error", finishReason: "rate_limited" },
      artifacts: [{ tag: "a", version: 1, value: 1 }],
    });
    expect(statusOf(result, "b")).toBe("skipped/main_llm_failed");
    const [turn] = await world.chat.turns({ chatId: "chat", branchId: "main" });
    expect([turn?.userVariants.length, turn?.selectedUser, turn?.assistantVariants]).toEqual([
      2,
      1,
      [],
    ]);
  });

  it.each<[string, ScenarioOperation[], Record<string, string>]>([
    [
      "an error passes on",
      [
        { id: "a", does: { status: "error" } },
        { id: "b", dependsOn: ["a"] },
        { id: "c", dependsOn: ["b"], required: true },
      ],
      { a: "error/internal_error", b: "skipped/dependency_failed", c: "error/dependency_failed" },
    ],
    [
      "a false condition exempts those behind it",
      [
        {
          id: "a",
          does: done(write("flag", { on: false }, { persisted: false })),
          writesTag: "flag",
        },
        { id: "b", dependsOn: ["a"], required: true, when: [{ ref: "art.flag.on" }] },
        { id: "c", dependsOn: ["b"], required: true },
      ],
      { a: "done", b: "skipped/condition_false", c: "skipped/condition_false" },
    ],
    [
      "a failure weighs more than a condition",
      [
        { id: "a", when: [{ ref: "art.nothing" }] },
        { id: "b", does: { status: "skipped" } },
        { id: "c", dependsOn: ["a", "b"] },
      ],
      { a: "skipped/condition_false", b: "skipped", c: "skipped/dependency_failed" },
    ],
    [
      "what a run leaves out can't be depended on",
      [
        { id: "a", triggers: ["regenerate"] },
        { id: "b", dependsOn: ["a"] },
        { id: "c", enabled: false },
      ],
      { a: "skipped/trigger_mismatch", b: "skipped/dependency_failed", c: "skipped/disabled" },
    ],
  ])("ends operations without running them: %s", async (_name, operations, expected) => {
    const result = await run(scenario({ operations }));
    expect(
      Object.fromEntries(Object.keys(expected).map((id) => [id, statusOf(result, id)])),
    ).toEqual(expected);
  });

  it("fails the barrier for a required operation that skips itself, whatever reason it gives", async () => {
    const does = { status: "skipped" as const, skippedReason: "condition_false" };
    const result = await run(scenario({ operations: [{ id: "a", required: true, does }] }));
    expect(result).toMatchObject({ status: "failed", failedType: "before_barrier" });
    expect(result.failedDetails?.errorMessage).toBe(
      "The required operation was skipped (condition_false).",
    );
  });

  it.each<[string, ScenarioOperation]>([
    ["policy_error", { id: "a", does: done({ type: "turn.assistant_meta", meta: {} }) }],
    [
      "policy_error",
      {
        id: "a",
        hooks: after,
        does: done({ type: "prompt.system_update", mode: "append", content: "x" }),
      },
    ],
    ["policy_error", { id: "a", does: done(write("other", 1)), writesTag: "own" }],
    ["policy_error", { id: "a", does: done(write("a", 1), write("a", 2)), writesTag: "a" }],
    ["validation_error", { id: "a", does: done(write("a", 1n)), writesTag: "a" }],
    [
      "validation_error",
      { id: "a", does: done(write("a", 1, { persisted: false, retention: {} })), writesTag: "a" },
    ],
    [
      "validation_error",
      {
        id: "a",
        does: done(write("a", 1, { usage: "ui_only", inclusion: { mode: "append_system" } })),
        writesTag: "a",
      },
    ],
    [
      "validation_error",
      { id: "a", does: async () => JSON.parse('{"status":"done","effects":[{"type":"rm"}]}') },
    ],
    [
      "validation_error",
      { id: "a", does: async () => JSON.parse('{"status":"done","effects":{"type":"rm"}}') },
    ],
    ["internal_error", { id: "a", does: async () => JSON.parse("null") }],
    [
      "internal_error",
      {
        id: "a",
        does: () => {
          throw new Error("raw");
        },
      },
    ],
    [
      "rate_limited",
      {
        id: "a",
        does: async () => {
          throw new LanguageModelError("rate_limited", "x");
        },
      },
    ],
  ])("turns what a handler may not do into %s", async (code, operation) => {
    const result = await run(scenario({ operations: [operation] }));
    expect(statusOf(result, "a")).toBe(`error/${code}`);
    expect([result.status, result.commitLog]).toEqual(["done", []]);
  });

  it("lets an operation see what it depends on, and nothing else", async () => {
    const seen: Record<string, unknown> = {};
    const look = (name: string) => async (context: OperationContext) => {
      const { artifacts, draftPrompt = [] } = context;
      seen[name] = [Object.keys(artifacts), draftPrompt.map(({ content }) => content)];
      expect(
        Object.isFrozen(context) && Object.isFrozen(artifacts) && Object.isFrozen(draftPrompt),
      ).toBe(true);
      return done(write(name, name, { persisted: false }), {
        type: "prompt.append_after_last_user",
        role: "system",
        content: name,
      });
    };
    const world = scenario({
      operations: [
        { id: "a", does: look("a"), writesTag: "a", order: 1 },
        { id: "b", does: look("b"), writesTag: "b", order: 2 },
        { id: "c", does: look("c"), writesTag: "c", dependsOn: ["a"], order: 0 },
        { id: "d", does: look("d"), writesTag: "d", dependsOn: ["c", "b"] },
      ],
    });
    await run(world);
    const base = ["Be brief.", "Hello"];
    expect(seen).toEqual({
      a: [[], base],
      b: [[], base],
      c: [["a"], [...base, "a"]],
      d: [
        ["a", "c", "b"],
        [...base, "a", "c", "b"],
      ],
    });
  });

  it("keeps what an earlier turn has put into the prompt, where this one writes nothing", async () => {
    const model = createScriptedModel(["One.", "Two."]);
    const inclusion = { mode: "append_system" };
    const plan = done(write("plan", "Go north.", { usage: "prompt_only", inclusion }));
    let turns = 0;
    const does = async () => ((turns += 1) === 1 ? plan : done());
    const world = scenario({
      mainModel: model,
      operations: [{ id: "a", does, writesTag: "plan" }],
    });
    await run(world);
    await run(world);
    expect(model.requests.map(({ messages }) => messages[0]?.content)).toEqual(
      Array(2).fill("Be brief.\n\nGo north."),
    );
  });

  it("keeps the prompt within its budget, where no operation writes to it", async () => {
    const model = createScriptedModel(["One.", "Two."]);
    const prompt = { counter: estimatedCounter, budget: 1 };
    const result = await run(scenario({ mainModel: model, limits: { prompt } }));
    expect([result.mainLlm.executed, model.requests]).toEqual([false, []]);
  });

  it("tells readers the answer of a model that does not stream in one piece", async () => {
    const answer = { text: "Whole.", toolCalls: [], finishReason: "stop" as const };
    const world = scenario({
      mainModel: { provider: "test", modelId: "test", generate: async () => answer },
    });
    const handle = await world.engine.start(world.start);
    const texts: string[] = [];
    for await (const event of handle.events)
      if (event.type === "main_llm.delta") texts.push(event.text);
    expect(texts).toEqual(["Whole."]);
  });

  it("sends the main model the prompt in commit order, and lets operations after it read run-only values", async () => {
    let seen: unknown;
    const insert = (content: string) =>
      done({ type: "prompt.append_after_last_user", role: "developer", content });
    const model = createScriptedModel(["Answer."]);
    const world = scenario({
      mainModel: model,
      operations: [
        { id: "z", order: 1, does: insert("z") },
        { id: "A", order: 1, does: insert("A") },
        { id: "ä", order: 1, does: insert("ä") },
        { id: "a", order: 1, does: insert("a") },
        {
          id: "first",
          order: 0,
          does: done(
            write("plan", "Go north.", {
              persisted: false,
              usage: "prompt_only",
              inclusion: { mode: "append_system" },
            }),
          ),
          writesTag: "plan",
        },
        {
          id: "rewrite",
          order: 5,
          does: done({ type: "turn.user_variant", content: "Hallo", select: true }),
        },
        {
          id: "reader",
          hooks: after,
          does: async ({ artifacts, main, chatHistory }) => {
            seen = [artifacts["plan"]?.value, main?.text, chatHistory.at(-1)?.content];
            return { status: "done" };
          },
        },
      ],
    });
    await run(world);
    expect(model.requests[0]?.messages.map(({ role, content }) => `${role}: ${String(content)}`))
      .toMatchInlineSnapshot(`
      [
        "system: Be brief.

      Go north.",
        "user: Hallo",
        "developer: A",
        "developer: a",
        "developer: z",
        "developer: ä",
      ]
    `);
    expect(seen).toEqual(["Go north.", "Answer.", "Hallo"]);
  });
});
