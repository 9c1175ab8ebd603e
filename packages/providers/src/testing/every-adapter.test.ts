import {
  LanguageModelError,
  type ModelDelta,
  type ModelRequest,
  type ModelResponse,
  type StreamingModel,
} from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createAnthropicModel } from "../anthropic/index.ts";
import type { EndpointOptions } from "../http/endpoint.ts";
import { createGeminiModel } from "../gemini/index.ts";
import { createOpenAiCompatibleModel } from "../openai-compatible/index.ts";
import { createOpenAiResponsesModel } from "../openai-responses/index.ts";
import { startTestServer, type TestBehaviour, type TestDialect, type TestServer } from "./index.ts";

const key = "sk-test-0123456789abcdefghijABCDEFGHIJ";
let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ apiKey: key });
});
afterEach(() => server.close());

const model = "test-model";
type Create = (options: EndpointOptions & { baseUrl: string }) => StreamingModel;
const adapters: [TestDialect, Create][] = [
  ["openai", (options) => createOpenAiCompatibleModel({ model, ...options })],
  ["openai-responses", (options) => createOpenAiResponsesModel({ model, ...options })],
  ["lm-studio", (options) => createOpenAiCompatibleModel({ model, ...options })],
  ["ignores-format", (options) => createOpenAiCompatibleModel({ model, ...options })],
  [
    "ollama",
    (options) =>
      createOpenAiCompatibleModel({ model, ...options, baseUrl: `${options.baseUrl}/v1` }),
  ],
  ["anthropic", (options) => createAnthropicModel({ model, ...options })],
  ["gemini", (options) => createGeminiModel({ model, ...options })],
];

const question: ModelRequest = { messages: [{ role: "user", content: "Привет, 世界! 👋" }] };

async function streamed(
  model: StreamingModel,
  request: ModelRequest,
): Promise<{ deltas: ModelDelta[]; response: ModelResponse }> {
  const deltas: ModelDelta[] = [];
  for await (const delta of model.stream(request)) deltas.push(delta);
  const last = deltas.at(-1);
  if (last?.type !== "finish") throw new Error("The stream did not finish.");
  return { deltas, response: last.response };
}

async function failureOf(run: Promise<unknown>): Promise<LanguageModelError> {
  const caught: unknown = await run.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!LanguageModelError.isInstance(caught))
    throw new Error("No LanguageModelError was thrown.", { cause: caught });
  return caught;
}

describe.each(adapters)("the adapter for %s", (dialect, create) => {
  const open = (options: EndpointOptions = {}): StreamingModel =>
    create({
      apiKey: key,
      retries: 0,
      ...options,
      baseUrl: options.baseUrl ?? server.baseUrl(dialect),
    });
  const both = async (
    behaviour: TestBehaviour,
    request: ModelRequest = question,
  ): Promise<ModelResponse> => {
    server.enqueue(behaviour, behaviour);
    const whole = await open().generate(request);
    const { response } = await streamed(open(), request);
    const bare = (answer: ModelResponse): unknown => ({ ...answer, providerMetadata: undefined });
    expect(bare(response)).toEqual(bare(whole));
    return whole;
  };
  const bothFail = async (
    behaviour: TestBehaviour,
    request: ModelRequest = question,
  ): Promise<LanguageModelError> => {
    server.enqueue(behaviour, behaviour);
    const whole = await failureOf(open().generate(request));
    const part = await failureOf(streamed(open(), request));
    // Gemini has an address of its own for streams.
    const message = part.message.replace("streamGenerateContent", "generateContent");
    expect([part.code, message]).toEqual([whole.code, whole.message]);
    return whole;
  };

  it.each([1, 7])(
    "gives the same answer whole and streamed in pieces of %i bytes",
    async (chunkBytes) => {
      const text = "Да: naïve 世界 👩‍👩‍👧 \r\n\n data: [DONE] \u2028 end";
      const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0 };
      const response = await both({
        type: "answer",
        text,
        reasoning: "Думаю… 🤔",
        usage,
        chunkBytes,
      });
      expect(response).toMatchObject({
        text,
        reasoning: "Думаю… 🤔",
        finishReason: "stop",
        toolCalls: [],
      });
      expect(response.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 });
    },
  );

  it("gives tool calls whole, with their arguments as text", async () => {
    const toolCalls = [
      { id: "call_a", name: "read", arguments: '{"path":"src/мир.ts"}' },
      { id: "call_b", name: "list", arguments: "{}" },
    ];
    const response = await both({ type: "answer", text: "Looking.", toolCalls });
    expect(response).toMatchObject({ text: "Looking.", toolCalls, finishReason: "tool_calls" });
  });

  it("gives each tool call once in a stream, after the text", async () => {
    const toolCalls = [{ id: "call_a", name: "read", arguments: '{"path":"a"}' }];
    server.enqueue({ type: "answer", text: "Looking.", toolCalls, chunkBytes: 3 });
    const { deltas } = await streamed(open(), question);
    expect(deltas.filter(({ type }) => type === "tool_call")).toMatchObject([
      { type: "tool_call", toolCall: toolCalls[0] },
    ]);
    expect(deltas.flatMap((delta) => (delta.type === "text" ? [delta.text] : [])).join("")).toBe(
      "Looking.",
    );
  });

  it("marks an answer that is cut off by its length", async () => {
    const response = await both({ type: "answer", text: '{"a": [1, 2', finishReason: "length" });
    expect(response).toMatchObject({ text: '{"a": [1, 2', finishReason: "length" });
  });

  it.each<[TestBehaviour, string, object]>([
    [{ type: "error", status: 400 }, "invalid_request", { status: 400 }],
    [
      {
        type: "error",
        status: 400,
        message: "response_format is fine, json_schema too; the model name is not.",
      },
      "invalid_request",
      {},
    ],
    [{ type: "error", status: 401 }, "authentication", { status: 401 }],
    [{ type: "error", status: 403 }, "authentication", { status: 403 }],
    [{ type: "error", status: 404 }, "invalid_request", { status: 404 }],
    [
      { type: "error", status: 429, retryAfter: "3" },
      "rate_limited",
      { status: 429, retryAfterMs: 3000 },
    ],
    [{ type: "error", status: 500 }, "provider_error", { status: 500 }],
    [
      { type: "error", status: 529, retryAfter: "1.5" },
      "provider_error",
      { status: 529, retryAfterMs: 1500 },
    ],
    [{ type: "cut", text: "This never ends. ".repeat(40) }, "network_error", {}],
  ])("turns %o into %s", async (behaviour, code, fields) => {
    const before = server.calls.length;
    expect(await bothFail(behaviour)).toMatchObject({ code, ...fields });
    expect(server.calls.length - before).toBe(2);
  });

  it("knows a context that is too long", async () => {
    const behaviour: TestBehaviour = { type: "error", status: 400, about: "context_length" };
    expect(await bothFail(behaviour)).toMatchObject({ code: "context_length_exceeded" });
  });

  it("reads a date in Retry-After by its clock", async () => {
    server.enqueue({ type: "error", status: 429, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT" });
    const clock = { now: () => Date.UTC(2026, 9, 21, 7, 27, 55) };
    expect(await failureOf(open({ clock }).generate(question))).toMatchObject({
      retryAfterMs: 5000,
    });
  });

  it("stops waiting at the time limit, before an answer and inside a stream", async () => {
    expect(await bothFail({ type: "hang" }, { ...question, timeoutMs: 60 })).toMatchObject({
      code: "timeout",
    });
  });

  it("stops at the caller's abort, inside a stream too", async () => {
    const controller = new AbortController();
    server.enqueue({ type: "answer", text: "one two three four", chunkBytes: 9 });
    const run = async (): Promise<void> => {
      for await (const _ of open().stream({ ...question, signal: controller.signal }))
        controller.abort("enough");
    };
    expect(await failureOf(run())).toMatchObject({ code: "aborted", cause: "enough" });
    const before = server.calls.length;
    const late = open().generate({ ...question, signal: controller.signal });
    expect(await failureOf(late)).toMatchObject({ code: "aborted" });
    expect(server.calls.length).toBe(before);
  });

  it("breaks the connection off when the reader of a stream leaves", async () => {
    server.enqueue({ type: "answer", text: "one two three four", chunkBytes: 9 });
    const signals: (AbortSignal | null | undefined)[] = [];
    const watched: typeof fetch = (input, init) => {
      signals.push(init?.signal);
      return fetch(input, init);
    };
    for await (const delta of open({ fetch: watched }).stream(question)) {
      expect(delta.type).toBe("text");
      break;
    }
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it("calls a server that is not there a network error", async () => {
    const gone = await startTestServer();
    const baseUrl = gone.baseUrl(dialect);
    await gone.close();
    expect(await failureOf(create({ baseUrl, retries: 0 }).generate(question))).toMatchObject({
      code: "network_error",
    });
  });

  it("shows its key nowhere", async () => {
    server.enqueue({ type: "error", status: 401, message: `Incorrect API key provided: ${key}.` });
    const error = await failureOf(open().generate(question));
    expect(error.message).toContain("Incorrect API key provided: [redacted");
    const bad = await failureOf(open({ apiKey: `${key}\n` }).generate(question));
    const shown = [error, bad].map(
      (item) => `${item.message} ${JSON.stringify(item)} ${item.stack} ${String(item.cause)}`,
    );
    expect(
      [...shown, JSON.stringify(open()), Object.values(open()).join(" ")].join(" "),
    ).not.toContain(key);
  });

  it("reads its key anew for each call", async () => {
    const keys = ["sk-wrong", key];
    const model = open({ apiKey: () => keys.shift() });
    server.enqueue({ type: "answer", text: "ok" });
    expect(await failureOf(model.generate(question))).toMatchObject({ code: "authentication" });
    expect(await model.generate(question)).toMatchObject({ text: "ok" });
  });
});
