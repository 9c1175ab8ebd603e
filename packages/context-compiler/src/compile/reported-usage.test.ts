import {
  type ChatMessage,
  estimatedCounter,
  type ModelDelta,
  type ToolDefinition,
} from "@ccl/core";
import { createScriptedModel, type ScriptedModel } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";
import { exact, sampleSession, words } from "../../test-support/sample-session.ts";
import { type CountedUsage, safetyMarginOf } from "../fit/safety-margin.ts";
import { createMemorySessionStore } from "../session-store/create-session-store.ts";
import { openSession } from "../session/open-session.ts";
import type { Session } from "../session/session.ts";
import { createContextCompiler } from "./create-context-compiler.ts";
import { usageEvent } from "./reported-usage.ts";
import { runCompiled } from "./run-compiled.ts";

const budget = 3_000;
const steps = 40;
const read: ToolDefinition<never> = {
  name: "read",
  description: "Reads.",
  inputSchema: { type: "object" },
  execute: async () => words(120),
};

/** A provider whose tokenizer counts half more tokens than the estimate. It reports them or not. */
async function run(
  isReported: boolean,
  session = sampleSession({ counter: estimatedCounter }),
): Promise<{ session: Session; model: ScriptedModel; reported: number[] }> {
  const reported: number[] = [];
  const model = createScriptedModel(
    Array.from({ length: steps }, (_, at) => (request) => {
      const counted = exact.countMessages?.(request.messages, request.tools) ?? 0;
      reported.push(Math.ceil(counted * 1.5));
      const usage = isReported ? { inputTokens: reported.at(-1) ?? 0, outputTokens: 5 } : undefined;
      return { toolCalls: [{ id: `c${at}`, name: "read", arguments: "{}" }], usage };
    }),
  );
  const compiler = createContextCompiler();
  const tools = [read];
  await runCompiled({ session, compiler, model, tools, budget, input: "Read.", maxSteps: steps });
  return { session, model, reported };
}

describe("usage that a provider reports", () => {
  it("keeps later prompts within the budget by the provider's count", async () => {
    const { reported } = await run(true);
    expect(Math.max(...reported)).toBeGreaterThan(budget * 0.7);
    expect(reported.filter((tokens) => tokens > budget)).toEqual([]);
    const unreported = await run(false);
    expect(Math.max(...unreported.reported)).toBeGreaterThan(budget);
  });

  it("is recorded in the log, so that the same log gives the same prompt", async () => {
    const store = createMemorySessionStore();
    const { session } = await run(true, await openSession({ store, sessionId: "a" }));
    const { eventLog } = session;
    const usages = eventLog.filter(["phase_result"]).map(({ data }) => data);
    expect(usages).toHaveLength(steps);
    expect(usages[0]).toMatchObject({
      phase: "model_usage",
      output: { counter: estimatedCounter.name, modelId: "scripted", outputTokens: 5 },
    });
    const compileReopened = async (): Promise<ChatMessage[]> => {
      await store.saveState("a", { key: `compile:${budget}`, json: undefined });
      const reopened = await openSession({ store, sessionId: "a" });
      const options = { budget, systemPrompt: "" };
      return (await createContextCompiler().compile(reopened, options)).toMessages();
    };
    const prompt = await compileReopened();
    expect(await compileReopened()).toEqual(prompt);
    expect(JSON.stringify(prompt)).not.toContain("model_usage");
  });

  it("adjusts the margin of an estimate within bounds, and of no other counter", () => {
    const usage = (inputTokens: number, counter = estimatedCounter.name): CountedUsage[] => [
      { counter, countedTokens: 1_000, inputTokens },
    ];
    const marginOf = (usages: CountedUsage[], counter = estimatedCounter): number =>
      safetyMarginOf(counter, usages);
    expect(marginOf([])).toBe(0.1);
    expect(marginOf(usage(1_000))).toBe(0.1);
    expect(marginOf(usage(1_200))).toBe(0.25);
    expect(marginOf(usage(800))).toBe(0);
    expect(marginOf(usage(90_000))).toBe(0.55);
    expect(marginOf(usage(5_000, "another"))).toBe(0.1);
    expect(marginOf(usage(5_000, exact.name), exact)).toBe(0);
    const late = [...usage(9_000), ...Array.from({ length: 8 }, () => usage(1_000)).flat()];
    expect(marginOf(late)).toBe(0.1);
  });

  it.each([undefined, {}, { inputTokens: Number.NaN }, { inputTokens: -4 }, { inputTokens: "9" }])(
    "is ignored if it is %j",
    (usage) => {
      const counted = { counter: "estimate", countedTokens: 10, modelId: "m" };
      expect(usageEvent(usage, counted)).toBeUndefined();
    },
  );
});

describe("the deltas of a run", () => {
  const script = [
    { text: "Wait.", toolCalls: [{ id: "c1", name: "read", arguments: "{}" }] },
    "Done.",
  ];
  const options = { compiler: createContextCompiler(), tools: [read], budget, input: "Read." };

  it("arrive in order, with a finish for each answer", async () => {
    const deltas: ModelDelta[] = [];
    const outcome = await runCompiled({
      ...options,
      session: sampleSession(),
      model: createScriptedModel(script),
      onDelta: (delta) => deltas.push(delta),
    });
    expect(outcome.text).toBe("Done.");
    expect(deltas.map(({ type }) => type)).toEqual(
      "text text tool_call finish text text finish".split(" "),
    );
  });

  it("arrive all at once from a model that does not stream", async () => {
    const { stream: _, ...model } = createScriptedModel(script);
    const types: string[] = [];
    const onDelta = ({ type }: ModelDelta): number => types.push(type);
    await runCompiled({ ...options, session: sampleSession(), model, onDelta });
    expect(types).toEqual("text tool_call finish text finish".split(" "));
  });

  it("that end without an answer cause a typed error, and nothing is recorded", async () => {
    const session = sampleSession();
    const model = {
      ...createScriptedModel([]),
      async *stream(): AsyncGenerator<ModelDelta> {
        yield { type: "text", text: "Wai" };
      },
    };
    const cut = runCompiled({ ...options, session, model, onDelta: () => undefined });
    await expect(cut).rejects.toMatchObject({ code: "provider_error" });
    expect(session.messages()).toHaveLength(1);
  });
});
