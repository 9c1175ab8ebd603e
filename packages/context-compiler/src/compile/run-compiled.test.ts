import type { ToolCall, ToolDefinition } from "@ccl/core";
import { createScriptedModel, type ScriptedResponse } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";
import { functionToolBridge } from "../tool-interrupt/function-tool-bridge.ts";
import { createToolInterruptHandler } from "../tool-interrupt/create-tool-interrupt-handler.ts";
import { promptFault, textOf } from "../../test-support/prompt-fault.ts";
import { exact, sampleSession, words } from "../../test-support/sample-session.ts";
import { createContextCompiler } from "./create-context-compiler.ts";
import { runCompiled, type RunCompiledOptions, type RunStep } from "./run-compiled.ts";

const call = (id: string, name = "weigh", input: object = { thing: id }): ToolCall => ({
  id,
  name,
  arguments: JSON.stringify(input),
});

function scales(): { tools: ToolDefinition<never>[]; weighed: string[] } {
  const weighed: string[] = [];
  const weigh: ToolDefinition<{ thing: string }, string> = {
    name: "weigh",
    description: "Weighs a thing.",
    inputSchema: { type: "object", properties: { thing: { type: "string" } }, required: ["thing"] },
    async execute({ thing }) {
      weighed.push(thing);
      return `${thing} weighs 3 kg. ${words(60)}`;
    },
  };
  return { tools: [weigh], weighed };
}

function start(script: readonly ScriptedResponse[], options: Partial<RunCompiledOptions> = {}) {
  const session = options.session ?? sampleSession();
  const model = createScriptedModel(script);
  const compiler = createContextCompiler({ counter: exact });
  const run = runCompiled({
    compiler,
    budget: 1_200,
    systemPrompt: "You weigh.",
    ...options,
    session,
    model,
  });
  return { session, model, run };
}

describe("a run", () => {
  it("calls the model and its tools in turn until the model requests no more", async () => {
    const { tools, weighed } = scales();
    const script = [
      { toolCalls: [call("a"), call("b")] },
      { toolCalls: [call("c")] },
      "They weigh 9 kg.",
    ];
    const seen: RunStep[] = [];
    const { session, model, run } = start(script, {
      tools,
      input: "What do they weigh?",
      onStep: (step) => seen.push(step),
    });
    const outcome = await run;
    expect(outcome).toMatchObject({ text: "They weigh 9 kg.", finishReason: "stop", steps: seen });
    expect(weighed).toEqual(["a", "b", "c"]);
    expect(session.messages().map(({ message }) => message.role)).toEqual(
      "user assistant tool tool assistant tool assistant".split(" "),
    );
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([2, 5, 7]);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["weigh"]);
    for (const [at, { messages }] of model.requests.entries()) {
      expect(messages).toEqual(seen[at]?.context.toMessages());
      expect(promptFault(messages)).toBeUndefined();
    }
  });

  it("stays within its budget over many steps", async () => {
    const { tools } = scales();
    const script = Array.from({ length: 19 }, (_, at) => ({
      toolCalls: [call(`t${at}`), call(`u${at}`)],
    }));
    const { model, run } = start([...script, "Done."], { tools, input: "Weigh all." });
    expect((await run).text).toBe("Done.");
    for (const { messages, tools: sent = [] } of model.requests) {
      expect(promptFault(messages)).toBeUndefined();
      expect(exact.countMessages?.(messages, sent)).toBeLessThanOrEqual(1_200);
    }
    expect(model.requests.at(-1)?.messages.length).toBeLessThan(40);
  });

  it("stops at the step limit with every call answered, and can be continued from there", async () => {
    const { tools, weighed } = scales();
    const { session, run } = start([{ text: "Wait.", toolCalls: [call("a")] }], {
      tools,
      input: "Weigh a.",
      maxSteps: 1,
    });
    expect(await run).toMatchObject({ text: "Wait.", finishReason: "step_limit" });
    expect(weighed).toEqual(["a"]);
    const next = start(["3 kg."], { tools, session });
    expect((await next.run).text).toBe("3 kg.");
    expect(next.model.requests[0]?.messages.map(textOf).join("\n")).toContain("a weighs 3 kg.");
  });

  it("answers the model if a tool is unknown or its arguments are invalid", async () => {
    const { tools, weighed } = scales();
    const script = [{ toolCalls: [call("a", "fly"), call("b", "weigh", {})] }, "I can't."];
    const { session, run } = start(script, { tools, input: "Fly." });
    expect((await run).text).toBe("I can't.");
    expect(weighed).toEqual([]);
    expect(session.eventLog.filter(["tool_error"])).toHaveLength(2);
  });

  it("without tools is one answer, and a model that requests a tool anyway causes a typed error", async () => {
    const single = start([{ text: "Hello.", usage: { inputTokens: 9, outputTokens: 2 } }], {
      input: "Hi.",
    });
    expect(await single.run).toMatchObject({
      text: "Hello.",
      steps: [{ usage: { inputTokens: 9 } }],
    });
    expect(single.model.requests[0]).not.toHaveProperty("tools");
    await expect(
      start([{ toolCalls: [call("a", "fly")] }], { input: "Hi." }).run,
    ).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining('"fly"'),
    });
  });

  it("accepts a handler for tools that run elsewhere, and content for one call only", async () => {
    const session = sampleSession();
    const { tools } = scales();
    const handler = createToolInterruptHandler({ session, bridge: functionToolBridge(tools) });
    let hour = 8;
    const options = {
      session,
      tools: handler,
      input: "Weigh a.",
      volatile: () => `It is ${(hour += 1)} o'clock.`,
    };
    const { model, run } = start([{ toolCalls: [call("a")] }, "3 kg."], options);
    await run;
    expect(model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      "It is 9 o'clock.",
      "It is 10 o'clock.",
    ]);
  });

  it("returns signed reasoning with its calls to the provider that signed it", async () => {
    const { tools } = scales();
    const reasoning = [{ type: "thinking", thinking: "Heavy.", signature: "s" }];
    const providerMetadata = { anthropic: { reasoning, usage: { tier: "x" } }, other: { id: 1 } };
    const { model, run } = start([{ toolCalls: [call("a")], providerMetadata }, "3 kg."], {
      tools,
      input: "Weigh a.",
    });
    await run;
    const [, sent] = model.requests;
    expect(sent?.messages.find(({ role }) => role === "assistant")?.providerMetadata).toEqual({
      anthropic: { reasoning },
    });
  });
});

describe("an interrupted run", () => {
  it("continues with another call after the model failed", async () => {
    const { tools, weighed } = scales();
    const first = start([{ toolCalls: [call("a")] }, new Error("overloaded")], {
      tools,
      input: "Weigh a.",
    });
    await expect(first.run).rejects.toThrow("overloaded");
    const { run } = start(["3 kg."], { tools, session: first.session });
    expect((await run).text).toBe("3 kg.");
    expect(weighed).toEqual(["a"]);
  });

  it("runs requested tool calls that had not started, and no others", async () => {
    const { tools, weighed } = scales();
    const session = sampleSession();
    await session.record("user_input", { content: "Weigh a and b." });
    await session.record("assistant_message", { content: "", toolCalls: [call("a"), call("b")] });
    await session.record("tool_call", { callId: "a", name: "weigh", arguments: "{}" });
    const { model, run } = start(["At least 3 kg."], { tools, session, input: "Well?" });
    await run;
    expect(weighed).toEqual(["b"]);
    expect(promptFault(model.requests[0]?.messages ?? [])).toBeUndefined();
    expect(model.requests[0]?.messages.map(textOf)[3]).toContain("b weighs");
  });

  it("stops at an abort, with every started call recorded", async () => {
    const controller = new AbortController();
    const hang: ToolDefinition<never> = {
      name: "hang",
      description: "Hangs.",
      inputSchema: { type: "object" },
      execute: () => new Promise(() => setTimeout(() => controller.abort("enough"), 0)),
    };
    const script = [{ toolCalls: [call("a", "hang", {})] }, "Done."];
    const { session, run, model } = start(script, {
      tools: [hang],
      input: "Hang.",
      signal: controller.signal,
    });
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    expect(session.eventLog.at(-1)).toMatchObject({ kind: "tool_error", data: { callId: "a" } });
    expect(model.requests).toHaveLength(1);
    await expect(start(["x"], { session, signal: controller.signal }).run).rejects.toMatchObject({
      code: "aborted",
    });
  });
});
