import { type LanguageModel, LanguageModelError, type ModelRequest } from "@ccl/core";
import {
  createFixedClock,
  createScriptedModel,
  type ScriptedModel,
  type ScriptedResponse,
  wordCounter,
} from "@ccl/core/testing";
import { hmacSha256Hex } from "@ccl/core/hash";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { startTestServer } from "@ccl/providers/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { KindOptions } from "./kind.ts";
import { llmKind } from "./llm-kind.ts";
import type { ModelReference } from "../operation/turn-settings.ts";
import { boundSummary } from "../run/bound-summary.ts";
import type {
  OperationContext,
  OperationErrorCode,
  OperationOutcome,
} from "../operation/operation-definition.ts";

const key = `sk-proj-${"a1B2c3D4".repeat(6)}`;
const credentialRef = "credential-of-the-tenant";
const writeArtifact = {
  tag: "note",
  persisted: false,
  usage: "prompt_only",
  semantics: "intermediate",
} as const;
const params = {
  providerRef: "openai",
  model: "small",
  credentialRef,
  system: "You write for {{ art.who }}.",
  prompt: "{{ chatHistory | last: 1 | compact }}",
  writeArtifact,
};

function contextWith(
  given: Record<string, unknown>,
  more: Partial<OperationContext> = {},
): OperationContext {
  return {
    runId: "r1",
    attempt: 1,
    trigger: "generate",
    hook: "before_main_llm",
    chatId: "c",
    branchId: "b",
    userMessageId: "u1",
    definition: { operationId: "op", kind: "llm", name: "Op" },
    config: {
      enabled: true,
      required: false,
      hooks: ["before_main_llm"],
      order: 1,
      params: { ...params, ...given },
    },
    chatHistory: [{ id: "u1", role: "user", content: "I take the sword" }],
    artifacts: {
      who: {
        tag: "who",
        value: "Mira",
        version: 1,
        runId: "r0",
        writtenAt: 0,
        persisted: true,
        usage: "internal",
        semantics: "state",
        history: [],
      },
    },
    policy: {
      allowedEffects: ["artifact.upsert", "prompt.append_after_last_user"],
      maxSummaryChars: 4_000,
    },
    signal: new AbortController().signal,
    ...more,
  };
}

interface Trial {
  outcome: OperationOutcome;
  model: ScriptedModel;
  waits: number[];
}

async function attempt(
  responses: ScriptedResponse[],
  given: Record<string, unknown> = {},
  { context = {}, ...options }: KindOptions & { context?: Partial<OperationContext> } = {},
): Promise<Trial> {
  const model = createScriptedModel(responses);
  const waits: number[] = [];
  const operation = llmKind.createHandler({
    models: () => model,
    clock: createFixedClock(1_000),
    random: () => 0.5,
    sleep: async (ms) => void waits.push(ms),
    ...options,
  });
  return { outcome: recorded(await operation(contextWith(given, context))), model, waits };
}

/** With what the engine records of its summaries. */
function recorded(outcome: OperationOutcome): OperationOutcome {
  const limits = { maxChars: 50_000, maxTextChars: 16_384 };
  const { inputsSummary, outputsSummary } = outcome.debug ?? {};
  const debug = {
    inputsSummary: boundSummary(inputsSummary, limits),
    outputsSummary: boundSummary(outputsSummary, limits),
  };
  return { ...outcome, debug };
}

const valueOf = ({ effects = [] }: OperationOutcome): unknown =>
  effects.flatMap((effect) => (effect.type === "artifact.upsert" ? [effect.value] : []))[0];
const fault = (
  code: ConstructorParameters<typeof LanguageModelError>[0],
  options: { retryAfterMs?: number } = {},
) =>
  new LanguageModelError(code, `The provider says ${key} for ${credentialRef}.`, {
    ...options,
    cause: new Error(key),
  });

describe("llmKind", () => {
  it("asks once with rendered texts and writes the answer", async () => {
    const emit = [{ type: "prompt.append_after_last_user", role: "developer", source: "art.note" }];
    const samplers = { temperature: 0.2, seed: 7 };
    const { outcome, model } = await attempt(["A plan."], {
      emit,
      samplers,
      maxOutputTokens: 50,
      stop: ["END"],
      timeoutMs: 9_000,
    });
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]).toEqual({
      messages: [
        { role: "system", content: "You write for Mira." },
        { role: "user", content: "user: I take the sword" },
      ],
      temperature: 0.2,
      seed: 7,
      maxOutputTokens: 50,
      stop: ["END"],
      timeoutMs: 9_000,
      signal: expect.any(AbortSignal),
    });
    expect(outcome.effects).toEqual([
      { type: "artifact.upsert", ...writeArtifact, value: "A plan." },
      {
        type: "prompt.append_after_last_user",
        role: "developer",
        source: "art.note",
        content: "A plan.",
      },
    ]);
  });

  it("sums up what it did without texts or the credential", async () => {
    const usage = { inputTokens: 100, outputTokens: 20, costUsd: 0.0003 };
    const stop = Array.from({ length: 12 }, () => "s".repeat(200));
    const { outcome } = await attempt(
      [{ text: "A plan.", usage, requestId: "req-1" }],
      { stop, retry: { maxAttempts: 2 } },
      { promptHashKey: "installation" },
    );
    expect(outcome.debug).toMatchObject({
      inputsSummary: {
        providerRef: "openai",
        model: "small",
        outputMode: "text",
        retry: { maxAttempts: 2 },
        renderedSystemHash: hmacSha256Hex("installation", "You write for Mira."),
        renderedPromptHash: hmacSha256Hex("installation", "user: I take the sword"),
      },
      outputsSummary: {
        attempts: 1,
        durationMs: 0,
        providerRequestId: "req-1",
        usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120, costUsd: 0.0003 },
        finishReason: "stop",
      },
    });
    expect(outcome.debug?.inputsSummary?.["stop"]).toEqual(
      Array.from({ length: 10 }, () => `${"s".repeat(119)}…`),
    );
    const text = JSON.stringify(outcome.debug);
    for (const hidden of [credentialRef, "I take the sword", "A plan."])
      expect(text).not.toContain(hidden);
  });

  it("keeps bounded, masked texts under debug alone", async () => {
    const config = {
      ...contextWith({}).config,
      params: { ...params, prompt: `${"long ".repeat(4_000)}{{ art.who }}` },
      debug: { enabled: true },
    };
    const { outcome } = await attempt([`The key is ${key}.`], {}, { context: { config } });
    expect(String(outcome.debug?.inputsSummary?.["renderedPrompt"])).toHaveLength(16_384);
    expect(outcome.debug?.outputsSummary?.["rawText"]).toMatch(/^The key is \[redacted:/);
    expect(JSON.stringify(outcome.debug)).not.toContain(key);
  });

  it.each<[string, ScriptedResponse, Record<string, unknown>, unknown]>([
    ["JSON as it stands", '{"n":1}', {}, { n: 1 }],
    ["JSON in a fence", 'Here:\n```json\n{"n":1,}\n```', {}, { n: 1 }],
    ["a list in prose", "The list is [1, 2].", {}, [1, 2]],
    ["JSON that fits a schema", '{"n":1}', { schemaRef: "count" }, { n: 1 }],
  ])("reads %s", async (_name, response, output, expected) => {
    const { outcome, model } = await attempt(
      [response],
      { output: { mode: "json", ...output } },
      { schemas: { count: z.object({ n: z.number() }) } },
    );
    expect(outcome.status).toBe("done");
    expect(valueOf(outcome)).toEqual(expected);
    expect(model.requests).toHaveLength(1);
  });

  it.each<[string, ScriptedResponse[], Record<string, unknown>, OperationErrorCode]>([
    ["prose for JSON", ["I'd rather not."], { output: { mode: "json" } }, "output_parse_error"],
    [
      "JSON that is cut off",
      [{ text: '{"n":1}', finishReason: "length" }],
      { output: { mode: "json" } },
      "output_parse_error",
    ],
    [
      "JSON that does not fit its schema",
      ['{"n":"x"}'],
      { output: { mode: "json", schemaRef: "count" } },
      "output_parse_error",
    ],
    [
      "an unknown schema",
      [],
      { output: { mode: "json", schemaRef: "constructor" } },
      "validation_error",
    ],
    ["a schema for text", [], { output: { mode: "text", schemaRef: "count" } }, "validation_error"],
    ["a missing artifact", [], { writeArtifact: undefined }, "validation_error"],
    ["a key in its parameters", [], { system: key }, "validation_error"],
    ["a broken template", [], { prompt: "{{ x | nope }}" }, "template_render_error"],
    [
      "a missing variable where strict",
      [],
      { prompt: "{{ art.nope }}", strictVariables: true },
      "template_render_error",
    ],
    ["a prompt that is too long", [], { maxInputTokens: 5 }, "budget_exceeded"],
    [
      "an effect that the hook does not allow",
      [],
      { emit: [{ type: "turn.user_variant" }] },
      "policy_error",
    ],
    ["a timeout of the provider", [fault("timeout")], {}, "timeout"],
    ["a rate limit", [fault("rate_limited")], {}, "rate_limited"],
    ["a fault of the provider", [fault("provider_error")], {}, "provider_error"],
    ["a wrong credential", [fault("authentication")], {}, "provider_error"],
    ["a prompt that the provider filters", [fault("content_filtered")], {}, "policy_error"],
    [
      "an answer that the provider filters",
      [{ text: "x", finishReason: "content_filter" }],
      {},
      "policy_error",
    ],
    [
      "a model that throws something else",
      [new Error(`odd ${key} ${credentialRef}`)],
      {},
      "provider_error",
    ],
  ])("refuses %s", async (_name, responses, given, code) => {
    const { outcome, model } = await attempt(responses, given, {
      schemas: { count: z.object({ n: z.number() }) },
      counter: wordCounter,
    });
    expect(outcome).toMatchObject({ status: "error", error: { code } });
    expect(outcome.effects).toBeUndefined();
    expect(model.requests).toHaveLength(responses.length);
    for (const hidden of [key, credentialRef])
      expect(JSON.stringify(outcome)).not.toContain(hidden);
  });

  it("shows why JSON could not be read, masked and bounded", async () => {
    const { outcome } = await attempt([`${key} ${"x".repeat(3_000)}`], {
      output: { mode: "json" },
    });
    const { rawTextPreview, parseErrorMessage } = outcome.debug?.outputsSummary ?? {};
    expect(String(rawTextPreview)).toMatch(/^\[redacted:/);
    expect(String(rawTextPreview)).toHaveLength(1_024);
    expect(String(parseErrorMessage).length).toBeLessThanOrEqual(512);
    expect(parseErrorMessage).not.toBe("");
  });

  it("adds up the usage of all attempts, including what the cache saved", async () => {
    const retry = { maxAttempts: 3, backoffMs: 0, retryOn: ["output_parse_error"] };
    const usage = { inputTokens: 10, outputTokens: 90, cachedInputTokens: 4, costUsd: 0.25 };
    const { outcome } = await attempt([{ text: "no", usage }, "no", { text: "{}", usage }], {
      output: { mode: "json" },
      retry,
    });
    expect(outcome.debug?.outputsSummary?.["usage"]).toEqual({
      inputTokens: 20,
      outputTokens: 180,
      cachedInputTokens: 8,
      costUsd: 0.5,
      totalTokens: 200,
    });
  });
});

describe("retries", () => {
  it("tries again after what is listed, with full jitter that doubles", async () => {
    const retry = { maxAttempts: 4, backoffMs: 100 };
    const { outcome, waits } = await attempt(
      [fault("timeout"), fault("network_error"), fault("rate_limited"), "done"],
      { retry },
    );
    expect(valueOf(outcome)).toBe("done");
    expect(waits).toEqual([50, 100, 200]);
    expect(outcome.debug?.outputsSummary).toMatchObject({ attempts: 4 });
  });

  it("waits as long as the provider asks for", async () => {
    const { waits } = await attempt([fault("rate_limited", { retryAfterMs: 7_000 }), "done"], {
      retry: { maxAttempts: 2, backoffMs: 10 },
    });
    expect(waits).toEqual([7_000]);
  });

  it.each<[string, ScriptedResponse, Record<string, unknown>, Partial<OperationContext>]>([
    ["without retry", fault("timeout"), {}, {}],
    [
      "after what is not listed",
      fault("rate_limited"),
      { retry: { maxAttempts: 3, retryOn: ["timeout"] } },
      {},
    ],
    ["after a wrong credential", fault("authentication"), { retry: { maxAttempts: 3 } }, {}],
    [
      "after an answer that is no JSON, unless listed",
      "prose",
      { output: { mode: "json" }, retry: { maxAttempts: 3 } },
      {},
    ],
    [
      "when the wait would reach the deadline",
      fault("rate_limited", { retryAfterMs: 500 }),
      { retry: { maxAttempts: 3 } },
      { deadlineAt: 1_400 },
    ],
  ])("does not try again %s", async (_name, response, given, context) => {
    const { outcome, model, waits } = await attempt([response, "never"], given, { context });
    expect(outcome.status).toBe("error");
    expect(model.requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it("ends an attempt that takes too long, and tries again", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const hang = ({ signal }: ModelRequest): Promise<string> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const { outcome } = await attempt([hang, "done"], {
      timeoutMs: 5,
      retry: { maxAttempts: 2, backoffMs: 0 },
    });
    expect(valueOf(outcome)).toBe("done");
    expect(signals[0]?.aborted).toBe(true);
  });

  it("is aborted at once and never tries again", async () => {
    const controller = new AbortController();
    const hang = (): Promise<string> => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const context = { signal: controller.signal };
    const { outcome, model } = await attempt(
      [hang, "never"],
      { retry: { maxAttempts: 3 } },
      { context },
    );
    expect(outcome).toMatchObject({ status: "aborted" });
    expect(model.requests).toHaveLength(1);
    expect(outcome.effects).toBeUndefined();
  });

  it("is aborted while it waits", async () => {
    const controller = new AbortController();
    const failing = (): ScriptedResponse => {
      setImmediate(() => controller.abort());
      return fault("rate_limited", { retryAfterMs: 60_000 });
    };
    const model = createScriptedModel([failing, "never"]);
    const operation = llmKind.createHandler({ models: () => model });
    const outcome = await operation(
      contextWith({ retry: { maxAttempts: 2 } }, { signal: controller.signal }),
    );
    expect(outcome).toMatchObject({ status: "aborted" });
    expect(model.requests).toHaveLength(1);
  });
});

describe("the resolver of models", () => {
  it("gets the references, and its failure is provider_error without the credential", async () => {
    const seen: ModelReference[] = [];
    const models = (reference: ModelReference): LanguageModel => {
      seen.push(reference);
      throw new Error(`There is no ${reference.credentialRef}, only ${key}`);
    };
    const outcome = await llmKind.createHandler({ models })(contextWith({}));
    expect(seen).toEqual([{ providerRef: "openai", model: "small", credentialRef }]);
    expect(outcome).toMatchObject({ status: "error", error: { code: "provider_error" } });
    for (const hidden of [key, credentialRef])
      expect(JSON.stringify(outcome)).not.toContain(hidden);
  });

  it("may give a model over HTTP, retried and read to the end", async () => {
    const server = await startTestServer({
      apiKey: key,
      script: [
        { type: "error", status: 429, retryAfter: "0" },
        { type: "answer", json: { hp: 3 }, usage: { inputTokens: 30, outputTokens: 5 } },
      ],
    });
    try {
      const operation = llmKind.createHandler({
        models: ({ model }) =>
          createOpenAiCompatibleModel({
            model,
            baseUrl: server.baseUrl("openai"),
            apiKey: key,
            // The operation's own retries count its attempts.
            retries: 0,
          }),
        schemas: { hp: z.object({ hp: z.number() }) },
        random: () => 0,
      });
      const outcome = await operation(
        contextWith({ output: { mode: "json", schemaRef: "hp" }, retry: { maxAttempts: 2 } }),
      );
      expect(outcome.debug?.outputsSummary).toMatchObject({
        attempts: 2,
        usage: { inputTokens: 30, outputTokens: 5 },
      });
      expect(valueOf(outcome)).toEqual({ hp: 3 });
      expect(server.calls.map(({ body }) => body["model"])).toEqual(["small", "small"]);
      expect(JSON.stringify(outcome)).not.toContain(key);
    } finally {
      await server.close();
    }
  });
});
