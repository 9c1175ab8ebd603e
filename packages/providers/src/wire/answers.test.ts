import type { ModelResponse } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import * as aiSdk from "./ai-sdk/index.ts";
import * as anthropic from "./anthropic/index.ts";
import * as chat from "./openai-chat/index.ts";
import * as responses from "./openai-responses/index.ts";
import { askedTools } from "./tool-description.ts";

const model = "m";
const versions = ["v2", "v3", "v4"] as const;
const wires: [string, (response: ModelResponse) => ModelResponse][] = [
  ["openai-chat", (given) => chat.fromOpenAiAnswer(chat.toOpenAiAnswer(given, { model }))],
  [
    "openai-responses",
    (given) => responses.fromResponsesAnswer(responses.toResponsesAnswer(given, { model })),
  ],
  [
    "anthropic",
    (given) => anthropic.fromAnthropicAnswer(anthropic.toAnthropicAnswer(given, { model })),
  ],
  ...versions.map((version): [string, (response: ModelResponse) => ModelResponse] => [
    `ai-sdk ${version}`,
    (given) => aiSdk.fromAiSdkAnswer(aiSdk.toAiSdkAnswer(given, { version })),
  ]),
];

const words = fc.string({ minLength: 1, maxLength: 20 });
const toolCall = fc.record({
  id: words,
  name: words,
  arguments: fc
    .dictionary(words, fc.oneof(words, fc.integer()))
    .map((input) => JSON.stringify(input)),
});
const answer = fc
  .record({
    text: fc.oneof(fc.constant(""), words),
    reasoning: fc.option(words, { nil: undefined }),
    calls: fc.array(toolCall, { maxLength: 3 }),
    reason: fc.constantFrom("stop", "length", "content_filter"),
    tokens: fc.tuple(fc.nat(), fc.nat(), fc.nat()),
  })
  .map(({ text, reasoning, calls, reason, tokens: [fresh, cachedInputTokens, outputTokens] }) => ({
    text,
    ...(reasoning !== undefined && { reasoning }),
    toolCalls: calls,
    finishReason: calls.length > 0 ? "tool_calls" : reason,
    usage: { inputTokens: fresh + cachedInputTokens, outputTokens, cachedInputTokens },
    requestId: "r",
  }));

describe.each(wires)("answers of %s", (_, thereAndBack) => {
  it("keep text, reasoning, calls, reason and usage both ways", () => {
    fc.assert(
      fc.property(answer, (given) => {
        const { providerMetadata: _own, ...read } = thereAndBack(given as ModelResponse);
        // Undefined members, and counts that are 0 where a format always has them, say nothing.
        expect(JSON.parse(JSON.stringify(read))).toMatchObject(JSON.parse(JSON.stringify(given)));
      }),
    );
  });
});

it("keeps signed thinking in an answer of Anthropic's", () => {
  const content = [
    { type: "thinking", thinking: "Hm.", signature: "c2ln" },
    { type: "redacted_thinking", data: "xx" },
    { type: "text", text: "So.", citations: null },
  ];
  const read = anthropic.fromAnthropicAnswer({ id: "a", content, stop_reason: "end_turn" });
  expect(anthropic.toAnthropicAnswer(read, { model })["content"]).toEqual(content);
});

describe("tools and tool choice", () => {
  const tool = { name: "look", description: "Looks.", inputSchema: { type: "object" } };
  const choices = ["auto", "none", "required", { name: "look" }] as const;

  it.each([
    ["openai-chat", chat.fromOpenAiTools(chat.toOpenAiTools([tool]))],
    ["openai-responses", responses.fromResponsesTools(responses.toResponsesTools([tool]))],
    ["anthropic", anthropic.fromAnthropicTools(anthropic.toAnthropicTools([tool]))],
    ["ai-sdk", aiSdk.fromAiSdkTools(aiSdk.toAiSdkTools([tool]))],
  ])("come back as they were from %s", (_, read) => {
    expect(read).toEqual([tool]);
  });

  it.each(choices)("knows the choice %j in each format", (choice) => {
    expect([
      chat.fromOpenAiToolChoice(chat.toOpenAiToolChoice(choice)),
      responses.fromResponsesToolChoice(responses.toResponsesToolChoice(choice)),
      anthropic.fromAnthropicToolChoice(anthropic.toAnthropicToolChoice(choice)),
      aiSdk.fromAiSdkToolChoice(aiSdk.toAiSdkToolChoice(choice)),
    ]).toEqual([choice, choice, choice, choice]);
  });

  it("asks for nothing where there is no tool to call, which APIs refuse", () => {
    const tools = [tool];
    expect(choices.map((toolChoice) => askedTools({ messages: [], toolChoice }))).toEqual([
      {},
      {},
      { toolChoice: "required" },
      { toolChoice: { name: "look" } },
    ]);
    for (const toolChoice of [...choices, undefined])
      expect(askedTools({ messages: [], tools, toolChoice })).toEqual({ tools, toolChoice });
  });

  it("describes a tool without a schema as one that takes any object", () => {
    const plain = { name: "look", description: "", inputSchema: { type: "object" } };
    expect([
      chat.fromOpenAiTools([{ type: "function", function: { name: "look" } }, null, {}]),
      responses.fromResponsesTools([
        { type: "function", name: "look" },
        null,
        { type: "function" },
      ]),
      aiSdk.fromAiSdkTools([{ type: "function", name: "look" }, null, { type: "function" }]),
      anthropic.fromAnthropicTools([{ name: "look", input_schema: { type: "object" } }, null]),
    ]).toEqual([[plain], [plain], [plain], [plain]]);
  });

  it("leaves tools and choices to the provider that are its own", () => {
    expect([
      chat.fromOpenAiTools([{ type: "custom", custom: { name: "patch" } }]),
      responses.fromResponsesTools([{ type: "web_search" }]),
      anthropic.fromAnthropicTools([{ type: "web_search_20250305", name: "web_search" }]),
      aiSdk.fromAiSdkTools([{ type: "provider", id: "openai.web_search", name: "x", args: {} }]),
      chat.fromOpenAiToolChoice({ type: "allowed_tools", allowed_tools: {} }),
      responses.fromResponsesToolChoice({ type: "web_search" }),
      responses.fromResponsesToolChoice({ type: "custom", name: "patch" }),
      anthropic.fromAnthropicToolChoice({ type: "mystery", name: "x" }),
      aiSdk.fromAiSdkToolChoice({ type: "mystery", toolName: "x" }),
    ]).toEqual([[], [], [], [], undefined, undefined, undefined, undefined, undefined]);
  });
});

it.each([
  ["openai-chat", chat.fromOpenAiMessages],
  ["anthropic", (messages: object[]) => anthropic.fromAnthropicMessages({ messages })],
  ["openai-responses", responses.fromResponsesItems],
  ["ai-sdk", aiSdk.fromAiSdkMessages],
])("refuses messages of %s that are no list of objects", (_, read) => {
  const isRefused = (given: unknown): void =>
    expect(() => Reflect.apply(read, undefined, [given])).toThrow(
      expect.objectContaining({ code: "invalid_messages" }),
    );
  isRefused(7);
  isRefused([null]);
});
