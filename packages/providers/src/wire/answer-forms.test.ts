import { expect, it } from "vitest";

import { fromAiSdkAnswer } from "./ai-sdk/ai-sdk-answer.ts";
import { fromAnthropicAnswer } from "./anthropic/anthropic-answer.ts";
import { fromGeminiAnswer } from "./gemini/gemini-answer.ts";
import { fromOpenAiAnswer } from "./openai-chat/open-ai-answer.ts";
import { fromResponsesAnswer } from "./openai-responses/responses-answer.ts";

const toolCalls = [{ id: "c", name: "look", arguments: '{"at":1}' }];

const chatBody = (message: object, finish_reason = "stop"): Record<string, unknown> => ({
  id: "r",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
});

it.each<[name: string, message: object, reason: string, read: object]>([
  ["text", { content: "So." }, "stop", { text: "So.", finishReason: "stop", toolCalls: [] }],
  ["a cut", { content: "So" }, "length", { text: "So", finishReason: "length" }],
  ["an unknown reason", { content: "" }, "mystery", { text: "", finishReason: "other" }],
  ["a refusal", { content: null, refusal: "No." }, "stop", { finishReason: "content_filter" }],
  ["no refusal", { content: "So.", refusal: "" }, "stop", { finishReason: "stop" }],
  [
    "parts of Mistral",
    {
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm" }] },
        { type: "text", text: "So" },
        { type: "text", text: "." },
      ],
    },
    "stop",
    { text: "So.", reasoning: "Hm" },
  ],
  [
    "reasoning",
    { content: "So.", reasoning_content: "Hm", reasoning: "x" },
    "stop",
    { reasoning: "Hm" },
  ],
  ["reasoning of OpenRouter", { content: "So.", reasoning: "Hm" }, "stop", { reasoning: "Hm" }],
  [
    "calls beside stop, with parsed arguments",
    { content: null, tool_calls: [{ id: "c", function: { name: "look", arguments: { at: 1 } } }] },
    "stop",
    { text: "", toolCalls, finishReason: "tool_calls" },
  ],
  [
    "a call without id, name and arguments",
    { content: null, tool_calls: [{}] },
    "function_call",
    { toolCalls: [{ id: "call_r_0", name: "", arguments: "{}" }], finishReason: "tool_calls" },
  ],
])("reads %s of /chat/completions", (_name, message, reason, read) => {
  expect(fromOpenAiAnswer(chatBody(message, reason), "chat")).toMatchObject(read);
});

it("keeps what has no place in a response under the provider's name", () => {
  const body = {
    ...chatBody({ content: "So.", annotations: [1], refusal: null }),
    system_fingerprint: "f",
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 1, x: 4 },
  };
  expect(fromOpenAiAnswer(body, "other")?.providerMetadata).toEqual({
    other: {
      model: "m",
      system_fingerprint: "f",
      usage: { x: 4 },
      message: { annotations: [1] },
    },
  });
});

it("counts tokens as core does: all input together, undefined where nothing was counted", () => {
  const chat = (counts: object): unknown =>
    fromOpenAiAnswer({ ...chatBody({}), usage: counts }, "chat")?.usage;
  const anthropic = (counts: object): unknown =>
    fromAnthropicAnswer({ content: [], usage: counts })?.usage;
  const responses = (counts: object): unknown =>
    fromResponsesAnswer({ output: [], usage: counts })?.usage;
  const sdk = (counts: object): unknown => fromAiSdkAnswer({ usage: counts }).usage;
  const counted = { inputTokens: 100, outputTokens: 20, reasoningTokens: 5, cachedInputTokens: 60 };
  expect([
    chat({
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 5 },
    }),
    responses({
      input_tokens: 100,
      output_tokens: 20,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens_details: { reasoning_tokens: 5 },
    }),
    sdk(counted),
    sdk({ inputTokens: { total: 100, cacheRead: 60 }, outputTokens: { total: 20, reasoning: 5 } }),
  ]).toEqual([counted, counted, counted, counted]);
  expect(chat({ prompt_tokens: 100, prompt_cache_hit_tokens: 60, cost: 0.5 })).toEqual({
    inputTokens: 100,
    outputTokens: 0,
    cachedInputTokens: 60,
    costUsd: 0.5,
  });
  expect(
    anthropic({
      input_tokens: 30,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
      output_tokens: 20,
    }),
  ).toEqual({ inputTokens: 100, outputTokens: 20, cachedInputTokens: 60, cacheWriteTokens: 10 });
  const onlyOutput = { inputTokens: 0, outputTokens: 2 };
  expect([
    chat({ completion_tokens: 2 }),
    anthropic({ output_tokens: 2 }),
    responses({ output_tokens: 2 }),
    sdk({ outputTokens: 2 }),
  ]).toEqual([onlyOutput, onlyOutput, onlyOutput, onlyOutput]);
  expect([chat({}), anthropic({}), responses({}), sdk({})]).toEqual(Array(4).fill(undefined));
});

it.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["tool_use", "tool_calls"],
  ["refusal", "content_filter"],
  ["constructor", "other"],
])("reads Anthropic's stop reason %s as %s", (stop_reason, reason) => {
  expect(fromAnthropicAnswer({ content: [], stop_reason })?.finishReason).toBe(reason);
});

it("reads blocks of Anthropic's that core has no place for", () => {
  const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
  const text = { type: "text", text: "So", citations: [{ url: "u" }] };
  const read = fromAnthropicAnswer({
    id: "a",
    model: "m",
    content: [
      { type: "thinking", thinking: "Hm" },
      search,
      text,
      { type: "text" },
      { type: "tool_use" },
    ],
    usage: { input_tokens: 1, output_tokens: 2, service_tier: "standard" },
  });
  expect(read).toEqual({
    text: "So",
    reasoning: "Hm",
    toolCalls: [{ id: "call_a_0", name: "", arguments: "{}" }],
    finishReason: "other",
    usage: { inputTokens: 1, outputTokens: 2 },
    requestId: "a",
    providerMetadata: {
      anthropic: {
        model: "m",
        usage: { service_tier: "standard" },
        reasoning: [{ type: "thinking", thinking: "Hm" }],
        content: [search],
        citations: [{ url: "u" }],
      },
    },
  });
});

it.each<[name: string, response: Record<string, unknown>, read: object]>([
  [
    "a cut",
    { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    { finishReason: "length" },
  ],
  [
    "a filter",
    { status: "incomplete", incomplete_details: { reason: "content_filter" } },
    { finishReason: "content_filter" },
  ],
  ["another end", { status: "incomplete", incomplete_details: {} }, { finishReason: "other" }],
  ["a failure", { status: "failed" }, { finishReason: "other" }],
  [
    "text",
    {
      status: "completed",
      output: [
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "So." }] },
      ],
    },
    { text: "So.", finishReason: "stop", toolCalls: [] },
  ],
  [
    "a refusal",
    {
      status: "completed",
      output: [
        { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      ],
    },
    { text: "No.", finishReason: "content_filter" },
  ],
  [
    "a custom call",
    {
      status: "completed",
      output: [{ type: "custom_tool_call", call_id: "c", name: "p", input: "x" }],
    },
    { finishReason: "tool_calls", toolCalls: [{ id: "c", name: "p", arguments: "x" }] },
  ],
])("reads %s of /v1/responses", (_name, response, read) => {
  expect(fromResponsesAnswer({ output: [], ...response })).toMatchObject(read);
});

it("keeps reasoning items of /v1/responses, and those without a counterpart", () => {
  const reasoning = { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "Hm" }] };
  const search = { type: "web_search_call", id: "w", status: "completed" };
  const read = fromResponsesAnswer({ status: "completed", output: [reasoning, search] });
  expect(read?.reasoning).toBe("Hm");
  expect(read?.providerMetadata).toEqual({
    "openai-responses": { reasoning: [reasoning], content: [search] },
  });
  expect(fromResponsesAnswer({ status: "completed", output: [] })).not.toHaveProperty(
    "providerMetadata",
  );
});

it("reads an answer of the AI SDK with what its provider did", () => {
  const signed = {
    type: "reasoning",
    text: "Hm",
    providerMetadata: { anthropic: { signature: "s" } },
  };
  const own = {
    type: "tool-call",
    toolCallId: "p",
    toolName: "search",
    input: "{}",
    providerExecuted: true,
  };
  const source = { type: "source", url: "u" };
  const read = fromAiSdkAnswer({
    content: [
      signed,
      { type: "text", text: "So" },
      own,
      source,
      { type: "text", text: "." },
      { type: "tool-call", toolCallId: "c", toolName: "look", input: { at: 1 } },
      { type: "tool-call" },
    ],
    finishReason: { unified: "tool-calls" },
    warnings: ["w"],
    providerMetadata: { anthropic: { x: 1 } },
    response: { id: "r" },
  });
  expect(read).toEqual({
    text: "So.",
    reasoning: "Hm",
    toolCalls: [...toolCalls, { id: "call_r_1", name: "", arguments: "{}" }],
    finishReason: "tool_calls",
    requestId: "r",
    providerMetadata: {
      anthropic: { x: 1 },
      "ai-sdk": { warnings: ["w"], content: [signed, source] },
    },
  });
  expect(fromAiSdkAnswer({ finishReason: "content-filter" })).toEqual({
    text: "",
    toolCalls: [],
    finishReason: "content_filter",
  });
});

it("reads an answer of Gemini with thoughts, calls without ids, signatures and what its tools did", () => {
  const code = { executableCode: { language: "PYTHON", code: "1" } };
  const read = fromGeminiAnswer({
    candidates: [
      { index: 1, content: { parts: [{ text: "Other." }] }, finishReason: "STOP" },
      {
        index: 0,
        content: {
          parts: [
            { text: "Hm", thought: true },
            { text: "So." },
            code,
            { functionCall: { name: "look", args: { at: 1 } }, thoughtSignature: "call" },
            { functionCall: { name: "list" } },
            { text: "", thoughtSignature: "said" },
          ],
        },
        finishReason: "STOP",
        safetyRatings: [],
      },
    ],
    usageMetadata: {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 7,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 5,
      cachedContentTokenCount: 60,
    },
    responseId: "r",
    modelVersion: "m",
  });
  expect(read).toEqual({
    text: "So.",
    reasoning: "Hm",
    toolCalls: [
      {
        id: "call_r_0",
        name: "look",
        arguments: '{"at":1}',
        providerMetadata: { gemini: { thoughtSignature: "call" } },
      },
      { id: "call_r_1", name: "list", arguments: "{}" },
    ],
    finishReason: "tool_calls",
    usage: { inputTokens: 107, outputTokens: 25, reasoningTokens: 5, cachedInputTokens: 60 },
    requestId: "r",
    providerMetadata: {
      gemini: {
        modelVersion: "m",
        candidate: { safetyRatings: [] },
        thoughtSignature: "said",
        content: [code],
      },
    },
  });
});

it.each([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["MALFORMED_FUNCTION_CALL", "other"],
  ["toString", "other"],
])("reads Gemini's reason %s as %s", (finishReason, reason) => {
  expect(fromGeminiAnswer({ candidates: [{ finishReason }] })?.finishReason).toBe(reason);
});
