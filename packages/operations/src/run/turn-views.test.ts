import { createScriptedModel } from "@ccl/core/testing";
import { LanguageModelError, type LanguageModel, type ToolCall } from "@ccl/core";
import { describe, expect, it } from "vitest";

import type { MainResult, OperationHandler } from "../operation/operation-definition.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import { foldRunEvents } from "../events/fold-run-events.ts";
import type { RunEvent } from "../events/run-event.ts";
import {
  done,
  scenario,
  write,
  type ScenarioOperation,
} from "../../test-support/engine-scenario.ts";

const branch = { chatId: "chat", branchId: "main" };
const replace = (find: string, text: string): Record<string, unknown> => ({
  steps: [{ use: "replace_text", find, with: text }],
  apply: ["variant"],
});

function transform(id: string, rest: Partial<ScenarioOperation>): ScenarioOperation {
  return { id, kind: "transform", does: undefined, hooks: ["after_main_llm"], ...rest };
}

describe("a dependent", () => {
  it("transforms the variant that its dependency has selected", async () => {
    const world = scenario({
      answers: ["hello world"],
      operations: [
        transform("first", { params: replace("hello", "goodbye") }),
        transform("second", { params: replace("world", "moon"), dependsOn: ["first"] }),
      ],
    });
    expect((await (await world.engine.start(world.start)).result).status).toBe("done");
    const [turn] = await world.chat.turns(branch);
    expect(turn?.assistantVariants[turn.selectedAssistant ?? -1]?.content).toBe("goodbye moon");
  });

  it("sees the blocks and meta of its dependencies, and a sibling sees the answer as it was", async () => {
    const seen: Record<string, MainResult | undefined> = {};
    const look: OperationHandler = async ({ main, config }) => {
      seen[String(config.params["as"])] = main;
      return done();
    };
    const after = { hooks: ["after_main_llm" as const] };
    const world = scenario({
      answers: ["hello"],
      operations: [
        {
          id: "a",
          ...after,
          does: done(
            { type: "turn.assistant_variant", content: "other", select: true },
            { type: "turn.assistant_blocks", blocks: [{ type: "image" }] },
            { type: "turn.assistant_meta", meta: { mood: "calm" } },
          ),
        },
        { id: "b", ...after, dependsOn: ["a"], does: look, params: { as: "dependent" } },
        { id: "c", ...after, dependsOn: ["b"], does: look, params: { as: "transitive" } },
        { id: "d", ...after, does: look, params: { as: "sibling" } },
      ],
    });
    const { runId, result } = await world.engine.start(world.start);
    await result;
    const changed = {
      assistantVariantId: `${runId}/after_main_llm/a/0`,
      text: "other",
      blocks: [{ type: "image" }],
      meta: { mood: "calm" },
    };
    expect(seen).toMatchObject({
      dependent: changed,
      transitive: changed,
      sibling: { text: "hello", blocks: [{ type: "text", text: "hello" }], meta: {} },
    });
    expect(Object.isFrozen(seen["dependent"]?.blocks?.[0])).toBe(true);
    const [turn] = await world.chat.turns(branch);
    expect(turn?.assistantVariants[1]).toMatchObject({ variantId: changed.assistantVariantId });
  });

  it("sees the user variant of its dependency in the history, in both hooks", async () => {
    const seen: unknown[] = [];
    const look: OperationHandler = async ({ chatHistory }) => {
      seen.push(chatHistory.at(-1)?.content);
      return done();
    };
    const rewrite = (content: string): ScenarioOperation["does"] =>
      done({ type: "turn.user_variant", content, select: true });
    const world = scenario({
      operations: [
        { id: "a", does: rewrite("before") },
        { id: "b", dependsOn: ["a"], does: look },
        { id: "c", does: look },
        { id: "d", hooks: ["after_main_llm"], does: rewrite("after") },
        { id: "e", hooks: ["after_main_llm"], dependsOn: ["d"], does: look },
        { id: "f", hooks: ["after_main_llm"], does: look },
      ],
    });
    await (
      await world.engine.start(world.start)
    ).result;
    expect(seen.toSorted()).toEqual(["Hello", "after", "before", "before"]);
  });
});

const call: ToolCall = { id: "call-1", name: "look", arguments: "{}" };

describe("the main model's answer", () => {
  it.each([
    ["stop", "completed"],
    ["length", "length"],
    ["content_filter", "content_filter"],
    ["tool_calls", "tool_calls"],
    ["other", "unknown"],
  ] as const)("keeps the finish reason %s as %s", async (finishReason, expected) => {
    const world = scenario({ answers: [{ text: "Half", finishReason }] });
    const handle = await world.engine.start(world.start);
    const { status, mainLlm } = await handle.result;
    expect([status, mainLlm.finishReason, mainLlm.steps?.[0]?.finishReason]).toEqual([
      "done",
      expected,
      finishReason,
    ]);
    const events = await world.runs.readEvents(handle.runId);
    const finished = events.find(({ type }) => type === "main_llm.finished");
    expect(finished).toMatchObject({ finishReason: expected });
  });

  it("keeps tool calls and reasoning, and what says nothing stays out of the next prompt", async () => {
    const model = createScriptedModel([
      { text: "", toolCalls: [call], reasoning: "I have to look." },
      "Second.",
      { text: "", toolCalls: [] },
      "Fourth.",
    ]);
    const world = scenario({ mainModel: model });
    const results = [];
    for (let turn = 0; turn < 4; turn += 1)
      results.push(await (await world.engine.start(world.start)).result);
    expect(results[0]?.mainLlm.steps).toMatchObject([
      { finishReason: "tool_calls", toolCalls: [call], reasoning: "I have to look." },
    ]);
    const turns = await world.chat.turns(branch);
    expect(turns[0]?.assistantVariants[0]).toMatchObject({
      toolCalls: [call],
      reasoning: "I have to look.",
    });
    const loaded = await world.chat.loadTurn(branch);
    expect(loaded?.history.find(({ toolCalls }) => toolCalls !== undefined)).toMatchObject({
      role: "assistant",
      toolCalls: [call],
    });
    const sent = model.requests[3]?.messages.map(({ role, content }) => `${role}: ${content}`);
    expect(sent).toEqual([
      "system: Be brief.",
      "user: Hello",
      "user: Hello",
      "assistant: Second.",
      "user: Hello",
      "user: Hello",
    ]);
    expect(model.requests.flatMap(({ messages }) => messages).some((m) => m.toolCalls)).toBe(false);
  });

  it("keeps what a stream gave before it broke off", async () => {
    const mainModel: LanguageModel = {
      provider: "test",
      modelId: "test",
      generate: () => Promise.reject(new Error("unused")),
      async *stream() {
        yield { type: "reasoning", text: "Think" };
        yield { type: "reasoning", text: "ing." };
        yield { type: "text", text: "Once" };
        yield { type: "tool_call", toolCall: call };
        throw new LanguageModelError("provider_error", "gone");
      },
    };
    const world = scenario({ mainModel });
    const { status, mainLlm } = await (await world.engine.start(world.start)).result;
    expect([status, mainLlm.text, mainLlm.partial]).toEqual(["failed", "Once", true]);
    expect(mainLlm.steps).toMatchObject([
      { toolCalls: [call], reasoning: "Thinking.", error: { message: "gone" } },
    ]);
  });
});

it("events say what a commit has changed, and the last one carries the result", async () => {
  const same = write("mood", "calm");
  const selected: OperationEffect = { type: "turn.user_variant", content: "Hi!", select: true };
  const kept: OperationEffect = { type: "turn.user_variant", content: "Hi?" };
  const world = scenario({
    operations: [{ id: "one", writesTag: "mood", does: done(same, kept, selected) }],
    answers: ["One.", "Two."],
  });
  const changes: unknown[] = [];
  const results: unknown[] = [];
  const ended: Promise<unknown>[] = [];
  for (let turn = 1; turn <= 2; turn += 1) {
    const { events, result } = await world.engine.start(world.start);
    ended.push(result);
    const seen: RunEvent[] = [];
    for await (const event of events) {
      seen.push(event);
      if (event.type === "artifact.changed") changes.push([event.tag, event.version]);
      if (event.type === "variant.selected") changes.push([event.side, event.operationId]);
      if (event.type === "run.finished") results.push(event.result);
    }
    const view = foldRunEvents(seen);
    expect(view.artifacts.map(({ tag, version }) => [tag, version])).toEqual(
      turn === 1 ? [["mood", 1]] : [],
    );
    expect(view.selected).toEqual(["user"]);
    expect(view.result).toEqual(await result);
  }
  expect(results).toEqual(await Promise.all(ended));
  // The second write of the same value changes nothing.
  expect(changes).toEqual([
    ["user", "one"],
    ["mood", 1],
    ["user", "one"],
  ]);
});
