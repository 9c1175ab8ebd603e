import type { ChatMessage, Part } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { fromAiSdkMessages, toAiSdkMessages } from "./ai-sdk/index.ts";
import { fromAnthropicMessages, toAnthropicMessages } from "./anthropic/index.ts";
import type { LossOptions } from "./losses.ts";
import { fromOpenAiMessages, toOpenAiMessages } from "./openai-chat/index.ts";
import { fromResponsesItems } from "./openai-responses/index.ts";
import { toResponsesItems } from "./openai-responses/to-responses-items.ts";

const data = Uint8Array.of(1, 2);
const words = new TextEncoder().encode("words");
const url = "https://e.org/a";
const media: Part[] = [
  { type: "image", mimeType: "image/png", data },
  { type: "image", mimeType: "image/*", url },
  { type: "image", mimeType: "image/svg+xml", data, filename: "a.svg" },
  { type: "file", mimeType: "application/pdf", data, filename: "a.pdf" },
  { type: "file", mimeType: "application/pdf", url },
  { type: "file", mimeType: "text/plain", data: words },
  { type: "file", mimeType: "audio/mpeg", data },
  { type: "file", mimeType: "audio/wav", url },
];
const thoughts: Part[] = [
  { type: "reasoning", text: "Hm", signature: "s" },
  { type: "reasoning", text: "Unsigned" },
  {
    type: "reasoning",
    text: "",
    providerMetadata: { anthropic: { type: "redacted_thinking", data: "x" } },
  },
];
const elsewhere: Part = { type: "provider", provider: "elsewhere", raw: { type: "search" } };
const text = (said: string): Part => ({ type: "text", text: said });
const call = (id: string, given: string): { id: string; name: string; arguments: string } => ({
  id,
  name: "look",
  arguments: given,
});
const calls = [call("a", '{"at":1}'), call("b", "{"), call("c", ""), call("d.0", "[1]")];

/** By what they show; each stands alone, so that neither turns nor ids are joined. */
const conversations: Record<string, ChatMessage[]> = {
  "the operator": [
    { role: "system", content: "Rules." },
    { role: "developer", content: [text("More."), elsewhere, ...media.slice(0, 1)] },
    { role: "user", content: "Hi" },
    { role: "developer", content: "Late." },
  ],
  "media of the user": [{ role: "user", content: [text("See:"), ...media, text("")] }],
  "media of the assistant": [{ role: "assistant", content: media.slice(0, 4) }],
  thoughts: [
    { role: "assistant", content: [...thoughts, text("So."), elsewhere] },
    { role: "user", content: thoughts },
    { role: "assistant", content: thoughts.slice(1, 2) },
  ],
  "calls and results": [
    { role: "assistant", content: "I look.", toolCalls: calls },
    { role: "tool", toolCallId: "a", content: '{"x":1}' },
    { role: "tool", toolCallId: "b", content: "bad", isError: true },
    { role: "tool", toolCallId: "c", content: [text("one"), text("two")] },
    { role: "tool", toolCallId: "d.0", content: [text("bad"), ...media], isError: true },
    { role: "tool", toolCallId: "e", content: [elsewhere, ...thoughts.slice(0, 1)] },
    { role: "tool", content: "of nothing" },
    { role: "user", content: "Go on" },
  ],
  "fields of providers": [
    {
      role: "user",
      content: [
        {
          type: "image",
          mimeType: "image/png",
          url,
          providerMetadata: {
            openai: { detail: "low", x: 1 },
            "openai-responses": { detail: "high" },
            anthropic: { cacheControl: { type: "ephemeral" }, y: 2 },
          },
        },
      ],
      providerMetadata: {
        openai: { name: "n" },
        anthropic: { cache_control: { type: "ephemeral" } },
      },
    },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ ...call("a", "{}"), providerMetadata: { openai: { id: "not this", z: 3 } } }],
    },
  ],
};

const formats: Record<string, (messages: ChatMessage[], options: LossOptions) => unknown> = {
  chat: toOpenAiMessages,
  responses: toResponsesItems,
  anthropic: (messages, options) => {
    const { system = [], messages: turns } = toAnthropicMessages(messages, options);
    return [...system, ...turns];
  },
  "ai-sdk": toAiSdkMessages,
  "ai-sdk v2": (messages, options) => toAiSdkMessages(messages, { ...options, version: "v2" }),
  "ai-sdk v4": (messages, options) => toAiSdkMessages(messages, { ...options, version: "v4" }),
};

describe.each(Object.entries(formats))("%s", (_name, to) => {
  const shown = Object.entries(conversations).flatMap(([name, messages]) => {
    const lost: string[] = [];
    const sent = to(messages, {
      report: ({ index, type, what }) => lost.push(`without ${type} of ${index}: ${what}`),
    });
    const bytes = (_key: string, value: unknown): unknown =>
      value instanceof Uint8Array ? `${value.length} bytes` : value;
    const lines = [sent].flat().map((message) => JSON.stringify(message, bytes));
    return [`${name}:`, ...lines, ...lost];
  });
  it("is written", () => {
    expect(shown).toMatchSnapshot();
  });
});

it("reads back which tools failed, whatever they gave", () => {
  const { "calls and results": messages = [] } = conversations;
  const failed = (read: ChatMessage[]): unknown[] =>
    read.flatMap(({ isError, toolCallId }) => (isError === true ? [toolCallId] : []));
  expect(failed(fromAiSdkMessages(toAiSdkMessages(messages)))).toEqual(["b", "d.0"]);
  expect(failed(fromAnthropicMessages(toAnthropicMessages(messages)))).toEqual(["b", "d_0"]);
});

describe("a server that differs from OpenAI's own", () => {
  const own = { deepseek: { prefix: true, name: "d" }, openai: { name: "o", x: 1 } };
  const messages: ChatMessage[] = [
    { role: "developer", content: "Rules." },
    { role: "assistant", content: [...thoughts, text("So.")], providerMetadata: own },
  ];

  it("takes reasoning, names and fields of its own", () => {
    const sent = toOpenAiMessages(messages, {
      provider: "deepseek",
      developerRole: "system",
      reasoningField: "reasoning_content",
    });
    expect(sent).toEqual([
      { role: "system", content: "Rules." },
      {
        role: "assistant",
        content: [text("So.")],
        reasoning_content: "Unsigned",
        prefix: true,
        name: "d",
        x: 1,
      },
    ]);
    expect(toOpenAiMessages(messages)).toEqual([
      { role: "developer", content: "Rules." },
      { role: "assistant", content: [text("So.")], name: "o", x: 1 },
    ]);
  });
});

it("sends the text of a custom tool of OpenAI as such", () => {
  const chat = fromOpenAiMessages([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "custom", custom: { name: "p", input: "{" } }],
    },
  ]);
  const responses = fromResponsesItems([
    { type: "custom_tool_call", call_id: "a", name: "p", input: "{" },
  ]);
  for (const messages of [chat, responses]) {
    const block = { type: "tool_use", id: "a", name: "p", input: { input: "{" } };
    expect(toAnthropicMessages(messages).messages).toEqual([
      { role: "assistant", content: [block] },
    ]);
    expect(toAiSdkMessages(messages)).toMatchObject([{ content: [{ input: { input: "{" } }] }]);
  }
});
