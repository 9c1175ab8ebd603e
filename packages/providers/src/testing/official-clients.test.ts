import Anthropic, { APIError as AnthropicError } from "@anthropic-ai/sdk";
import type { ModelRequest } from "@ccl/core";
import { GoogleGenAI } from "@google/genai";
import OpenAI, { APIError as OpenAiError } from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createGeminiModel } from "../gemini/index.ts";
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

describe("the official Gemini client against the server", () => {
  const open = (): GoogleGenAI =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: server.baseUrl("gemini") } });
  const request = { model: "m", contents: "Hi" };
  const functionCalls = [{ id: "call_a", name: "read", args: { path: "мир" } }];

  it("reads a whole answer and puts a streamed one together", async () => {
    const whole = { ...answer, chunkBytes: undefined };
    server.enqueue(whole, whole);
    const read = await open().models.generateContent(request);
    expect(read.text).toBe(answer.text);
    expect(read).toMatchObject({ functionCalls, usageMetadata: { cachedContentTokenCount: 4 } });
    const texts: string[] = [];
    const calls: unknown[] = [];
    for await (const chunk of await open().models.generateContentStream(request)) {
      texts.push(chunk.text ?? "");
      calls.push(...(chunk.functionCalls ?? []));
    }
    expect(texts.join("")).toBe(answer.text);
    expect(calls).toEqual(functionCalls);
  });

  it("reads a refusal, an error and a missing key", async () => {
    server.enqueue({ type: "refusal", text: "No." }, { type: "error", status: 429 });
    const refused = await open().models.generateContent(request);
    expect(refused.candidates?.[0]?.finishReason).toBe("SAFETY");
    const limited = open().models.generateContent(request);
    await expect(limited).rejects.toMatchObject({ name: "ApiError", status: 429 });
    const stranger = new GoogleGenAI({
      apiKey: "other",
      httpOptions: { baseUrl: server.baseUrl("gemini") },
    });
    await expect(stranger.models.generateContent(request)).rejects.toMatchObject({ status: 401 });
  });

  it("sends the same call as the adapter, field by field", async () => {
    server.enqueue(answer, answer);
    const model = createGeminiModel({ model: "m", baseUrl: server.baseUrl("gemini"), apiKey });
    await model.generate(everything);
    const [ours] = server.calls;
    const { contents, generationConfig, ...others } = ours?.body ?? {};
    // The client drops what its API does not have, so what comes through is what Google documents.
    await Reflect.apply(open().models.generateContent, undefined, [
      { model: "m", contents, config: { ...Object(generationConfig), ...others } },
    ]);
    expect(server.calls[1]?.body).toEqual(ours?.body);
    expect(server.calls[1]?.path).toBe(ours?.path);
  });
});

const everything: ModelRequest = {
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is it?" },
        { type: "image", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) },
        { type: "file", mimeType: "application/pdf", url: "https://files.test/a.pdf" },
      ],
    },
    {
      role: "assistant",
      content: "Looking.",
      providerMetadata: { gemini: { thoughtSignature: "c2ln" } },
      toolCalls: [
        {
          id: "call_a",
          name: "read",
          arguments: '{"path":"a"}',
          providerMetadata: { gemini: { thoughtSignature: "c2lnbmVk" } },
        },
        { id: "call_b", name: "read", arguments: '{"path":"b"}' },
      ],
    },
    { role: "tool", toolCallId: "call_a", content: "A" },
    { role: "tool", toolCallId: "call_b", content: "no such file", isError: true },
  ],
  tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object", properties: {} } }],
  toolChoice: { name: "read" },
  responseFormat: { type: "json_schema", name: "answer", schema: { type: "object" } },
  temperature: 0.5,
  topP: 0.9,
  topK: 40,
  frequencyPenalty: 0.1,
  presencePenalty: 0.2,
  seed: 7,
  stop: ["END"],
  maxOutputTokens: 100,
  providerOptions: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
};
