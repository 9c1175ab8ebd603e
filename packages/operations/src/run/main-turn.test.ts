import {
  LanguageModelError,
  type LanguageModel,
  type ModelDelta,
  type StreamingModel,
} from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { createAnthropicModel } from "@ccl/providers/anthropic";
import { createGeminiModel } from "@ccl/providers/gemini";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { createOpenAiResponsesModel } from "@ccl/providers/openai-responses";
import {
  startTestServer,
  type TestBehaviour,
  type TestDialect,
  type TestServer,
} from "@ccl/providers/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { defineProfile } from "../define/define-profile.ts";
import { template } from "../define/operations.ts";
import type { RunEvent, RunResult } from "../events/run-event.ts";
import { foldRunEvents } from "../events/fold-run-events.ts";
import { createRunStore } from "../stores/create-run-store.ts";
import { createRunEngine } from "./create-run-engine.ts";
import type { RunEngine } from "./run-engine.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const options = { model: "test-model", apiKey: "key", retries: 0 };
const dialects: [TestDialect, (baseUrl: string) => StreamingModel][] = [
  ["openai", (baseUrl) => createOpenAiCompatibleModel({ ...options, baseUrl })],
  ["openai-responses", (baseUrl) => createOpenAiResponsesModel({ ...options, baseUrl })],
  ["anthropic", (baseUrl) => createAnthropicModel({ ...options, baseUrl })],
  ["gemini", (baseUrl) => createGeminiModel({ ...options, baseUrl })],
];
const rollCall = { id: "call_1", name: "roll", arguments: '{"sides":6}' };
const usage = { inputTokens: 21, outputTokens: 8, cachedInputTokens: 5 };
const behaviours: [string, TestBehaviour][] = [
  ["an answer", { type: "answer", text: "Once upon a time.", usage, chunkBytes: 7 }],
  ["a cut answer", { type: "answer", text: "Once upon", finishReason: "length", usage }],
  ["a filtered answer", { type: "answer", text: "Once", finishReason: "content_filter", usage }],
  ["reasoning", { type: "answer", reasoning: "Let me think.", text: "Fine.", usage }],
  ["tool calls", { type: "answer", text: "I roll.", toolCalls: [rollCall], usage }],
  [
    "an answer in single bytes",
    { type: "answer", text: "昔々 👋🏽 e\u0301\n", usage, chunkBytes: 1 },
  ],
  ["nothing but thoughts", { type: "answer", reasoning: "Hm.", finishReason: "length", usage }],
  [
    "thoughts before two tool calls",
    {
      type: "answer",
      reasoning: "Two dice.",
      text: "Both.",
      toolCalls: [rollCall, { id: "call_2", name: "roll", arguments: "{}" }],
      usage,
      chunkBytes: 11,
    },
  ],
  ["a long answer", { type: "answer", text: "word ".repeat(200), usage, chunkBytes: 997 }],
  ["a server out of calls", { type: "error", status: 429, retryAfter: "7" }],
  ["a refusal", { type: "refusal", text: "I will not." }],
  ["a broken stream", { type: "cut", text: "Once upon a time there was a lighthouse." }],
  ["an overloaded server", { type: "error", status: 529 }],
];

/** What the adapter itself gives, as the reference. */
interface Facts {
  text: string;
  reasoning: string;
  toolCalls: unknown[];
  finish: unknown;
  failure: string | undefined;
}

async function factsOf(model: StreamingModel): Promise<Facts> {
  const facts: Facts = {
    text: "",
    reasoning: "",
    toolCalls: [],
    finish: undefined,
    failure: undefined,
  };
  try {
    for await (const delta of model.stream({ messages: [{ role: "user", content: "Hi." }] })) {
      if (delta.type === "text") facts.text += delta.text;
      else if (delta.type === "reasoning") facts.reasoning += delta.text;
      else if (delta.type === "tool_call") facts.toolCalls.push(delta.toolCall);
      else {
        facts.finish = [delta.response.finishReason, delta.response.usage];
        facts.text ||= delta.response.text;
      }
    }
  } catch (error) {
    facts.failure = LanguageModelError.isInstance(error) ? error.message : String(error);
  }
  return facts;
}

async function ended(engine: RunEngine): Promise<{ result: RunResult; events: RunEvent[] }> {
  const run = await engine.start({ chatId: "c", message: "Hi." });
  const events: RunEvent[] = [];
  for await (const event of run.events) events.push(event);
  return { result: await run.result, events };
}

function recordedFacts([step]: NonNullable<RunResult["mainLlm"]["steps"]>): Facts {
  return {
    text: step?.text ?? "",
    reasoning: step?.reasoning ?? "",
    toolCalls: [...(step?.toolCalls ?? [])],
    finish: step?.finishReason && [step.finishReason, step.usage],
    failure: step?.error?.message,
  };
}

/** What the server says in an answer. */
function sentFacts(behaviour: TestBehaviour): Partial<Facts> {
  if (behaviour.type !== "answer") return {};
  const { text = "", reasoning = "", toolCalls = [] } = behaviour;
  return { text, reasoning, toolCalls: toolCalls.map(({ name }) => ({ name })) };
}

/** Names of the facts that are not the same. */
function lostFacts(wanted: Facts, got: Facts): string[] {
  const comparable = ({ failure, ...facts }: Facts): [string, string][] =>
    Object.entries({ ...facts, failure: failure !== undefined }).map(([name, fact]) => [
      name,
      JSON.stringify(fact) ?? "",
    ]);
  const found = new Map(comparable(got));
  return comparable(wanted).flatMap(([name, fact]) => (found.get(name) === fact ? [] : [name]));
}

describe.each(dialects)("a stream of %s", (dialect, create) => {
  it.each(behaviours)("loses nothing of %s", async (_, behaviour) => {
    const model = create(server.baseUrl(dialect));
    server.enqueue(behaviour, behaviour);
    const wanted = await factsOf(model);
    expect(wanted).toMatchObject(sentFacts(behaviour));
    const { result, events } = await ended(createRunEngine({ mainModel: model }));
    const { mainLlm } = result;
    const steps = mainLlm.steps ?? [];
    const view = foldRunEvents(events);
    expect(lostFacts(wanted, recordedFacts(steps))).toEqual([]);
    const [step] = steps;
    expect([view.text, view.reasoning]).toEqual([wanted.text, wanted.reasoning]);
    expect(mainLlm.text ?? "").toBe(wanted.text);
    expect(mainLlm.finishReason === "completed").toBe(step?.finishReason === "stop");
    expect(result.status).toBe(wanted.failure === undefined ? "done" : "failed");
  });
});

const dropping: [string, (delta: ModelDelta) => ModelDelta | undefined][] = [
  [
    "text",
    (delta) => (delta.type === "text" ? { ...delta, text: delta.text.slice(0, -1) } : delta),
  ],
  ["reasoning", (delta) => (delta.type === "reasoning" ? undefined : delta)],
  [
    "finish",
    (delta) =>
      delta.type === "finish"
        ? { ...delta, response: { ...delta.response, usage: undefined } }
        : delta,
  ],
  [
    "toolCalls",
    (delta) =>
      delta.type === "finish"
        ? { ...delta, response: { ...delta.response, toolCalls: [] } }
        : delta,
  ],
];

it.each(dropping)("would be noticed if it lost a fact: %s", async (name, drop) => {
  const answer: TestBehaviour = {
    type: "answer",
    reasoning: "Two dice.",
    text: "Both.",
    toolCalls: [rollCall],
    usage,
  };
  server.enqueue(answer, answer);
  const model = createOpenAiCompatibleModel({ ...options, baseUrl: server.baseUrl("openai") });
  const wanted = await factsOf(model);
  const losing: LanguageModel = {
    provider: model.provider,
    modelId: model.modelId,
    generate: model.generate,
    async *stream(request) {
      for await (const delta of model.stream(request)) {
        const kept = drop(delta);
        if (kept?.type === "finish" && name === "reasoning")
          yield { ...kept, response: { ...kept.response, reasoning: undefined } };
        else if (kept !== undefined) yield kept;
      }
    },
  };
  const { result } = await ended(createRunEngine({ mainModel: losing }));
  expect(lostFacts(wanted, recordedFacts(result.mainLlm.steps ?? []))).toContain(name);
});

const roll = {
  name: "roll",
  description: "Rolls a die.",
  inputSchema: { type: "object", properties: { sides: { type: "number" } }, required: ["sides"] },
  execute: async ({ sides }: { sides: number }) => ({ rolled: sides - 2 }),
};

describe("tools of the main model", () => {
  it.each(dialects)(
    "are called in a turn of %s, and stay in later prompts",
    async (dialect, create) => {
      server.enqueue(
        { type: "answer", text: "I roll.", toolCalls: [rollCall], usage },
        { type: "answer", text: "A four.", usage },
        { type: "answer", text: "Yes, a four.", usage },
      );
      const engine = createRunEngine({ mainModel: create(server.baseUrl(dialect)), tools: [roll] });
      const { result, events } = await ended(engine);
      expect(result.mainLlm).toMatchObject({ text: "A four.", finishReason: "completed" });
      expect(result.mainLlm.steps).toMatchObject([
        { text: "I roll.", finishReason: "tool_calls", toolCalls: [{ name: "roll" }] },
        { text: "A four.", finishReason: "stop" },
      ]);
      expect(result.mainLlm.usage?.inputTokens).toBe(42);
      expect(foldRunEvents(events)).toMatchObject({
        text: "A four.",
        toolCalls: [{ name: "roll", status: "done" }],
      });
      await ended(engine);
      const sent = JSON.stringify(server.calls.at(-1)?.body);
      for (const fact of ["I roll.", "rolled", "A four."]) expect(sent).toContain(fact);
    },
  );

  it("answer wrong arguments and unknown names in words, and are bounded", async () => {
    const wrong = { text: "", toolCalls: [{ id: "1", name: "roll", arguments: '{"sides":"x"}' }] };
    const unknown = { text: "", toolCalls: [{ id: "2", name: "fly", arguments: "{}" }] };
    const mainModel = createScriptedModel([wrong, unknown, "Enough."]);
    const engine = createRunEngine({ mainModel, tools: [roll], turn: { maxSteps: 3 } });
    const { result, events } = await ended(engine);
    expect(result.mainLlm.text).toBe("Enough.");
    expect(mainModel.requests.map(({ toolChoice }) => toolChoice)).toEqual([
      undefined,
      undefined,
      "none",
    ]);
    const results = mainModel.requests.at(-1)?.messages.filter(({ role }) => role === "tool");
    expect(results?.map(({ isError }) => isError)).toEqual([true, true]);
    expect(events.filter(({ type }) => type === "main_llm.tool_finished")).toHaveLength(2);
  });

  it("come from bridges too, and only those that the turn names", async () => {
    const bridge = {
      tools: async () => [{ name: "weather" }, { name: "secret" }],
      call: async (name: string) => ({ content: `${name}: sunny` }),
    };
    const mainModel = createScriptedModel([
      { text: "", toolCalls: [{ id: "1", name: "weather", arguments: "{}" }] },
      "Sunny.",
    ]);
    const engine = createRunEngine({
      mainModel,
      tools: [roll, bridge],
      turn: { tools: ["weather"] },
    });
    await ended(engine);
    expect(mainModel.requests[0]?.tools?.map(({ name }) => name)).toEqual(["weather"]);
    expect(mainModel.requests[1]?.messages.at(-1)?.content).toBe("weather: sunny");
  });

  it("hand over images and files with their media types, also after a restart", async () => {
    const data = new Uint8Array([1, 2, 3]);
    const image = { type: "image", mimeType: "image/png", data };
    const file = { type: "file", mimeType: "application/pdf", filename: "a.pdf", data };
    const seen = { ...roll, execute: async () => ({ content: [image, file] }) };
    const runs = createRunStore();
    const mainModel = createScriptedModel([{ text: "", toolCalls: [rollCall] }, "Seen.", "Again."]);
    await ended(createRunEngine({ mainModel, tools: [seen], runs }));
    const next = createRunEngine({ mainModel, tools: [seen], runs });
    await (
      await next.start({ chatId: "c", message: "And now?" })
    ).result;
    const shown = [
      { type: "image", mimeType: "image/png", url: "data:image/png;base64,AQID" },
      {
        type: "file",
        mimeType: "application/pdf",
        filename: "a.pdf",
        url: "data:application/pdf;base64,AQID",
      },
    ];
    for (const request of mainModel.requests.slice(1)) {
      const answer = request.messages.find(({ role }) => role === "tool");
      expect(answer?.content).toMatchObject(shown);
    }
  });

  it("fit the window with their results, however long these are", async () => {
    const long = { ...roll, execute: async () => "word ".repeat(20_000) };
    const mainModel = createScriptedModel([{ text: "", toolCalls: [rollCall] }, "Long."]);
    const counter = { name: "chars", isExact: true, count: (text: string) => text.length };
    const limits = { prompt: { counter, budget: 4_000 } };
    const { result } = await ended(createRunEngine({ mainModel, tools: [long], limits }));
    expect(result.mainLlm.text).toBe("Long.");
    expect(JSON.stringify(mainModel.requests[1]?.messages).length).toBeLessThan(4_500);
  });

  it("are not called again after a crash, nor is the model for what it has asked", async () => {
    const runs = createRunStore();
    const calls: string[] = [];
    const counted = { ...roll, execute: async () => void calls.push("roll") };
    const hanging = {
      ...roll,
      name: "hang",
      execute: async () => {
        calls.push("hang");
        if (calls.filter((name) => name === "hang").length === 1) await new Promise(() => {});
      },
    };
    const tools = [counted, hanging];
    const both = [rollCall, { id: "call_2", name: "hang", arguments: '{"sides":1}' }];
    const first = createScriptedModel([{ text: "", toolCalls: both }]);
    const limits = { leaseMs: 60 };
    const dying = createRunEngine({ mainModel: first, tools, runs, recover: false, limits });
    const { runId, events } = await dying.start({ chatId: "c", message: "Roll." });
    for await (const { type } of events) if (type === "main_llm.tool_finished") break;
    const second = createScriptedModel(["Done."]);
    const other = createRunEngine({ mainModel: second, tools, runs, recover: false });
    // The dead engine's lease is given up in its place.
    const lease = (await runs.loadRun(runId))?.lease;
    if (lease !== undefined) await runs.releaseLease(lease);
    const { mainLlm } = await (await other.resume(runId)).result;
    expect(mainLlm.text).toBe("Done.");
    expect(mainLlm.steps).toHaveLength(2);
    expect(calls).toEqual(["roll", "hang", "hang"]);
    expect(second.requests[0]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
    ]);
  });
});

describe("the settings of a turn", () => {
  it("come from engine, profile and start, the last first", async () => {
    const profile = defineProfile({
      id: "p",
      turn: { vars: { tone: "calm", name: "Ann" }, temperature: 0.2 },
      operations: { hint: template("Be {{ vars.tone }}.", { appendTo: "system" }) },
    });
    const mainModel = createScriptedModel(["Hi."]);
    const turn = {
      system: "You are {{ vars.name }} of {{ vars.place }}.",
      vars: { place: "Rome" },
    };
    const engine = createRunEngine({ mainModel, turn });
    const start = {
      chatId: "c",
      message: "Hi.",
      profile,
      turn: { vars: { name: "Bob" }, seed: 7 },
    };
    await (
      await engine.start(start)
    ).result;
    const { messages, temperature, seed } = mainModel.requests[0] ?? {};
    expect([temperature, seed]).toEqual([0.2, 7]);
    expect(messages).toMatchObject([
      { role: "system", content: "You are Bob of Rome.\n\nBe calm." },
      { role: "user", content: "Hi." },
    ]);
  });

  it("are refused where they are wrong", async () => {
    const engine = createRunEngine({ mainModel: createScriptedModel([]) });
    const start = engine.start({ chatId: "c", message: "Hi.", turn: { maxSteps: 0 } });
    await expect(start).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("let the next model answer where one fails, and keep both calls", async () => {
    const failing = (...deltas: ModelDelta[]): LanguageModel => ({
      provider: "first",
      modelId: "big",
      generate: () => Promise.reject(new Error("unused")),
      async *stream() {
        yield* deltas;
        throw new LanguageModelError("rate_limited", "Too many.");
      },
    });
    const second = createScriptedModel(["Here."]);
    const mainModel = [failing({ type: "reasoning", text: "Hm." }), second];
    const { result } = await ended(createRunEngine({ mainModel }));
    expect(result.mainLlm.text).toBe("Here.");
    expect(result.mainLlm.steps).toMatchObject([
      { model: "first/big", reasoning: "Hm.", error: { code: "rate_limited" } },
      { text: "Here." },
    ]);
    // What readers have seen of an answer is not replaced by another one.
    const shown = [failing({ type: "text", text: "On" }), createScriptedModel(["unused"])];
    const broken = await ended(createRunEngine({ mainModel: shown }));
    expect(broken.result).toMatchObject({
      status: "failed",
      mainLlm: { text: "On", partial: true },
    });
  });
});
