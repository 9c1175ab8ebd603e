import { compress } from "@ccl/compress";
import type { ToolDefinition } from "@ccl/core";
import { traced } from "@ccl/core/tracing";
import { createAnthropicModel } from "@ccl/providers/anthropic";
import { createGeminiModel } from "@ccl/providers/gemini";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { metrics, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { beforeAll, describe, expect, it } from "vitest";

import { createContextCompiler } from "./compile/create-context-compiler.ts";
import { runCompiled } from "./compile/run-compiled.ts";
import { fitMessages } from "./fit/fit-messages.ts";
import { createSession } from "./session/create-session.ts";

/**
 * The names of attributes and metrics that the conventions define, with the values of those that
 * have a list.
 */
const official = new Set<unknown>(Object.values(conventions));
const { ATTR_GEN_AI_PROVIDER_NAME: providerName, ATTR_GEN_AI_OPERATION_NAME: operationName } =
  conventions;

/**
 * The attributes that each span needs besides its operation, by the pages of the GenAI conventions.
 */
const required = {
  chat: [
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "server.address",
    "server.port",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.id",
    "gen_ai.response.model",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
  ],
  execute_tool: ["gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.tool.call.id"],
};

const tokenBuckets = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];
const secondBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

interface Collected {
  spans: ReadableSpan[];
  metrics: HistogramMetricData[];
}

/** The spans and metrics that the SDK exports to a collector while `work` runs. */
async function collect(work: () => Promise<unknown>): Promise<Collected> {
  const spans = new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  trace.setGlobalTracerProvider(tracers);
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  metrics.setGlobalMeterProvider(meters);
  try {
    await work();
    await meters.forceFlush();
    const all = (exporter.getMetrics().at(-1)?.scopeMetrics ?? []).flatMap(
      (scope) => scope.metrics,
    );
    return {
      spans: spans.getFinishedSpans(),
      metrics: all.flatMap((one) => (one.dataPointType === DataPointType.HISTOGRAM ? [one] : [])),
    };
  } finally {
    trace.disable();
    metrics.disable();
    await Promise.all([tracers.shutdown(), meters.shutdown()]);
  }
}

/**
 * Names and values that the conventions do not define. This project's own names begin with `ccl.`.
 */
function faultsIn({ spans, metrics: all }: Collected): string[] {
  const faults: string[] = [];
  const named = (name: string): void => {
    if (!name.startsWith("ccl.") && !official.has(name)) faults.push(`no name: ${name}`);
  };
  for (const { name, kind, attributes } of spans) {
    Object.keys(attributes).forEach(named);
    const operation = attributes[operationName];
    const isModel = operation === "chat" || operation === "generate_content";
    if ((kind === SpanKind.CLIENT) !== isModel) faults.push(`${name}: kind ${kind}`);
    if (!isModel && Object.keys(attributes).some((key) => key.startsWith("gen_ai.usage.")))
      faults.push(`${name}: usage without a model`);
    for (const key of [providerName, operationName])
      if (attributes[key] !== undefined && !official.has(attributes[key]))
        faults.push(`${name}: ${key} ${String(attributes[key])}`);
    if (isModel || operation === "execute_tool") {
      const subject = attributes[isModel ? "gen_ai.request.model" : "gen_ai.tool.name"];
      if (name !== `${operation} ${String(subject)}`) faults.push(`${name}: not its name`);
      const missing = required[isModel ? "chat" : "execute_tool"].filter(
        (key) => attributes[key] === undefined && attributes["error.type"] === undefined,
      );
      faults.push(...missing.map((key) => `${name}: without ${key}`));
    }
  }
  for (const { descriptor, dataPoints } of all) {
    const { name, unit } = descriptor;
    named(name);
    const isTokens = name === "gen_ai.client.token.usage";
    if (unit !== (isTokens ? "{token}" : "s")) faults.push(`${name}: unit ${unit}`);
    for (const { attributes, value } of dataPoints) {
      Object.keys(attributes).forEach(named);
      const bounds = value.buckets.boundaries.map((bound) => Number(bound.toPrecision(10)));
      if (
        name.startsWith("gen_ai.") &&
        String(bounds) !== String(isTokens ? tokenBuckets : secondBuckets)
      )
        faults.push(`${name}: buckets ${String(bounds)}`);
    }
  }
  return faults;
}

const answers = {
  openai: [
    {
      tool_calls: [
        { id: "c1", type: "function", function: { name: "weigh", arguments: '{"thing":"a"}' } },
        { id: "c2", type: "function", function: { name: "fall", arguments: "{}" } },
      ],
    },
    { content: "It weighs 3 kg." },
  ].map((message, at) => ({
    id: `chatcmpl-${at}`,
    model: "m-2026",
    choices: [{ index: 0, message, finish_reason: at === 0 ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 100 + at, completion_tokens: 10 },
  })),
  gemini: {
    responseId: "r-1",
    modelVersion: "g-2026",
    candidates: [{ content: { parts: [{ text: "Yes." }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, thoughtsTokenCount: 3 },
  },
  anthropic: [
    {
      type: "message_start",
      message: {
        id: "msg-1",
        type: "message",
        role: "assistant",
        model: "a-2026",
        content: [],
        usage: { input_tokens: 5, cache_read_input_tokens: 20, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Yes." } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(""),
};

const tools: ToolDefinition<never>[] = [
  {
    name: "weigh",
    description: "Weighs a thing.",
    inputSchema: { type: "object" },
    execute: async () => "3 kg",
  },
  {
    name: "fall",
    description: "Fails.",
    inputSchema: { type: "object" },
    execute: async () => Promise.reject(new Error("the secret of the tool")),
  },
];

const served = (bodies: (object | string)[], status = 200): typeof fetch => {
  let at = 0;
  return async () => {
    const body = bodies[at++];
    const isStream = typeof body === "string";
    return new Response(isStream ? body : JSON.stringify(body), {
      status,
      headers: {
        "content-type": isStream ? "text/event-stream" : "application/json",
        "x-request-id": "req-of-the-header",
      },
    });
  };
};

/** A run with tools, a stream, another provider, a failure, a cut and a compression. */
async function useAll(): Promise<void> {
  const model = createOpenAiCompatibleModel({
    model: "m",
    apiKey: "k",
    fetch: served(answers.openai),
  });
  const session = createSession();
  const compiler = createContextCompiler();
  await runCompiled({ session, compiler, model, tools, budget: 4_000, input: "the secret" });
  const messages = [{ role: "user" as const, content: "Is it so?" }];
  const streaming = createAnthropicModel({
    model: "a",
    apiKey: "k",
    fetch: served([answers.anthropic]),
  });
  for await (const _ of streaming.stream({ messages, temperature: 0.5, maxOutputTokens: 9 }));
  const gemini = createGeminiModel({ model: "g", apiKey: "k", fetch: served([answers.gemini]) });
  await gemini.generate({ messages, responseFormat: { type: "json_object" } });
  const failing = createOpenAiCompatibleModel({
    preset: "mistral",
    model: "f",
    apiKey: "k",
    retries: 0,
    fetch: served([{ error: { message: "the secret of the server" } }], 429),
  });
  await failing.generate({ messages }).catch(() => undefined);
  fitMessages(messages, { budget: 1_000 });
  compress("the secret\n".repeat(90), { budget: 40 });
}

describe("data exported to an OpenTelemetry collector", () => {
  let got: Collected;
  beforeAll(async () => {
    got = await collect(useAll);
  });
  const namedSpan = (name: string): ReadableSpan | undefined =>
    got.spans.find((span) => span.name === name);
  const sumOf = (name: string): number =>
    got.metrics
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) => dataPoints)
      .reduce((sum, { value }) => sum + (value.sum ?? 0), 0);

  it("has the names, kinds, units and buckets of the GenAI conventions", () => {
    expect(faultsIn(got)).toEqual([]);
    expect([...new Set(got.spans.map(({ name }) => name))].toSorted()).toEqual([
      "chat a",
      "chat f",
      "chat m",
      "compile",
      "compress",
      "execute_tool fall",
      "execute_tool weigh",
      "fit",
      "generate_content g",
    ]);
    expect(got.metrics.map(({ descriptor }) => descriptor.name).toSorted()).toEqual([
      "ccl.operation.duration",
      "gen_ai.client.operation.duration",
      "gen_ai.client.token.usage",
    ]);
  });

  it("would fail this check with a wrong name, kind, provider, unit or usage", async () => {
    const wrong = await collect(async () => {
      const call = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai" };
      traced("chat m", { ...call, "gen_ai.request.model": "m" }, ({ set }) =>
        set({ "gen_ai.response.finish_reason": "stop" }),
      );
      traced("chat n", { ...call, "gen_ai.provider.name": "open-ai" }, () => undefined);
      traced("chat o", { "gen_ai.operation.name": "chat" }, () => undefined);
      traced("compile", { "gen_ai.usage.input_tokens": 3 }, () => undefined);
      metrics.getMeter("x").createHistogram("gen_ai.client.token.usage", { unit: "1" }).record(1);
    });
    const faults = faultsIn(wrong).join("\n");
    for (const fault of [
      "no name: gen_ai.response.finish_reason",
      "chat n: gen_ai.provider.name open-ai",
      "chat m: without gen_ai.response.id",
      "chat o: kind 0",
      "compile: usage without a model",
      "gen_ai.client.token.usage: unit 1",
      "gen_ai.client.token.usage: buckets",
    ])
      expect(faults).toContain(fault);
  });

  it("counts each provider token once", () => {
    expect(sumOf("gen_ai.client.token.usage")).toBe(100 + 10 + 101 + 10 + 25 + 4 + 7 + 5);
    const ofSpans = got.spans.map(({ attributes }) =>
      Number(attributes["gen_ai.usage.input_tokens"] ?? 0),
    );
    expect(ofSpans.reduce((sum, count) => sum + count, 0)).toBe(100 + 101 + 25 + 7);
    expect(namedSpan("compile")?.attributes).toHaveProperty(["ccl.tokens.before"]);
    expect(namedSpan("fit")?.attributes).toHaveProperty(["ccl.tokens.before"]);
  });

  it("has the model, its response id and its stop reason", () => {
    expect(namedSpan("chat a")?.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.max_tokens": 9,
      "gen_ai.request.model": "a",
      "gen_ai.request.stream": true,
      "gen_ai.request.temperature": 0.5,
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.response.id": "msg-1",
      "gen_ai.response.model": "a-2026",
      "gen_ai.usage.cache_read.input_tokens": 20,
      "gen_ai.usage.input_tokens": 25,
      "gen_ai.usage.output_tokens": 4,
      "server.address": "api.anthropic.com",
      "server.port": 443,
    });
    expect(namedSpan("generate_content g")?.attributes).toMatchObject({
      "gen_ai.provider.name": "gcp.gemini",
      "gen_ai.output.type": "json",
      "gen_ai.response.id": "r-1",
      "gen_ai.response.model": "g-2026",
      "gen_ai.usage.reasoning.output_tokens": 3,
    });
    expect(namedSpan("chat m")?.attributes).toMatchObject({
      "gen_ai.provider.name": "openai",
      "gen_ai.response.id": "chatcmpl-0",
      "gen_ai.response.finish_reasons": ["tool_calls"],
    });
  });

  it("marks failures without their messages", () => {
    const failed = got.spans.filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed.map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual([
      ["execute_tool fall", "tool_error"],
      ["chat f", "rate_limited"],
    ]);
    const said = got.spans.map(({ name, attributes, events, status }) => [
      name,
      attributes,
      events,
      status,
    ]);
    expect(JSON.stringify(said)).not.toContain("secret");
  });
});
