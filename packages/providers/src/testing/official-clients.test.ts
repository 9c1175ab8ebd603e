import Anthropic, { APIError as AnthropicError } from "@anthropic-ai/sdk";
import { Ollama } from "ollama";
import OpenAI, { APIError as OpenAiError } from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startTestServer, type TestAnswer, type TestServer } from "./index.ts";

const apiKey = "sk-test-0123456789abcdefghijABCDEFGHIJ";
let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ apiKey });
});
afterEach(() => server.close());

const answer: TestAnswer & { chunkBytes: number } = {
  type: "answer",
  text: "Привет, 世界 👋",
  reasoning: "Hm.",
  toolCalls: [{ id: "call_a", name: "read", arguments: '{"path":"мир"}' }],
  usage: { inputTokens: 12, outputTokens: 7, cachedInputTokens: 4 },
  chunkBytes: 5,
};

describe("the official openai client against the server", () => {
  const open = (): OpenAI =>
    new OpenAI({ apiKey, baseURL: server.baseUrl("openai"), maxRetries: 0 });
  const request = { model: "m", messages: [{ role: "user" as const, content: "Hi" }] };

  it("reads a whole completion", async () => {
    server.enqueue(answer);
    const completion = await open().chat.completions.create(request);
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: answer.text, tool_calls: [{ id: "call_a", function: { name: "read" } }] },
    });
    expect(completion.usage).toMatchObject({
      prompt_tokens: 12,
      prompt_tokens_details: { cached_tokens: 4 },
    });
    expect(completion._request_id).toBe("req_test");
  });

  it("puts a streamed completion together", async () => {
    server.enqueue(answer);
    const stream = open().chat.completions.stream({
      ...request,
      stream_options: { include_usage: true },
    });
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.message).toMatchObject({
      content: answer.text,
      tool_calls: [{ function: { arguments: '{"path":"мир"}' } }],
    });
    expect(completion.usage?.completion_tokens).toBe(7);
  });

  it("reads a refusal, an error with its fields, a missing key and embeddings", async () => {
    server.enqueue(
      { type: "refusal", text: "No." },
      { type: "error", status: 429, retryAfter: "1" },
    );
    expect((await open().chat.completions.create(request)).choices[0]?.message.refusal).toBe("No.");
    const limited: unknown = await open()
      .chat.completions.create(request)
      .catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(OpenAiError);
    expect(limited).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    const stranger = open().withOptions({ apiKey: "sk-other" });
    await expect(stranger.chat.completions.create(request)).rejects.toMatchObject({
      status: 401,
      code: "invalid_api_key",
    });
    const { data } = await open().embeddings.create({ model: "m", input: ["a", "aa"] });
    expect(data.map(({ embedding }) => embedding[1])).toEqual([1, 2]);
  });

  it("sees a cut stream fail", async () => {
    server.enqueue({ type: "cut", text: "word ".repeat(50) });
    const run = open().chat.completions.stream(request).finalChatCompletion();
    await expect(run).rejects.toThrow(Error);
  });
});

describe("the official Anthropic client against the server", () => {
  const open = (): Anthropic =>
    new Anthropic({ apiKey, baseURL: server.baseUrl("anthropic"), maxRetries: 0 });
  const request = {
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user" as const, content: "Hi" }],
  };
  const content = [
    { type: "thinking", thinking: "Hm." },
    { type: "text", text: answer.text },
    { type: "tool_use", id: "call_a", name: "read", input: { path: "мир" } },
  ];

  it("reads a whole message", async () => {
    server.enqueue(answer);
    const message = await open().messages.create(request);
    expect(message).toMatchObject({ content, stop_reason: "tool_use", _request_id: "req_test" });
    expect(message.usage).toMatchObject({
      input_tokens: 8,
      cache_read_input_tokens: 4,
      output_tokens: 7,
    });
  });

  it("puts a streamed message together", async () => {
    server.enqueue(answer);
    const message = await open().messages.stream(request).finalMessage();
    expect(message).toMatchObject({
      content,
      stop_reason: "tool_use",
      usage: { output_tokens: 7 },
    });
  });

  it("reads a refusal and errors with their types", async () => {
    server.enqueue({ type: "refusal", text: "No." }, { type: "error", status: 529 });
    expect((await open().messages.create(request)).stop_reason).toBe("refusal");
    const overloaded: unknown = await open()
      .messages.create(request)
      .catch((error: unknown) => error);
    expect(overloaded).toBeInstanceOf(AnthropicError);
    expect(overloaded).toMatchObject({ status: 529, type: "overloaded_error" });
  });
});

describe("the official Ollama client against the server", () => {
  const open = (): Ollama =>
    new Ollama({ host: server.baseUrl("ollama"), headers: { authorization: `Bearer ${apiKey}` } });
  const request = { model: "m", messages: [{ role: "user", content: "Hi" }] };

  it("reads a whole answer, a stream, an error and embeddings", async () => {
    server.enqueue(answer, answer, { type: "error", status: 400, message: "model is unknown" });
    const whole = await open().chat(request);
    expect(whole.message).toMatchObject({ content: answer.text, thinking: "Hm." });
    expect(whole.message.tool_calls?.[0]?.function).toEqual({
      name: "read",
      arguments: { path: "мир" },
    });
    const pieces: string[] = [];
    for await (const part of await open().chat({ ...request, stream: true }))
      pieces.push(part.message.content);
    expect(pieces.join("")).toBe(answer.text);
    await expect(open().chat(request)).rejects.toMatchObject({
      status_code: 400,
      error: "model is unknown",
    });
    const { embeddings } = await open().embed({ model: "m", input: ["a", "aa"] });
    expect(embeddings.map((vector) => vector[1])).toEqual([1, 2]);
  });
});
