import { createHash } from "node:crypto";
import type { ChatMessage, Part } from "@ccl/core";
import { arrayAt, isRecord, type JsonRecord } from "@ccl/core/json";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fromAiSdkMessages, toAiSdkMessages } from "./ai-sdk/index.ts";
import { fromAnthropicMessages, toAnthropicMessages } from "./anthropic/index.ts";
import { fromOpenAiMessages, toOpenAiMessages } from "./openai-chat/index.ts";
import { fromResponsesItems } from "./openai-responses/index.ts";
import { toResponsesItems } from "./openai-responses/to-responses-items.ts";
import { WireError } from "./wire-error.ts";

const text = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((words) => words.trim() !== "");
const png = fc
  .uint8Array({ maxLength: 24 })
  .map((data) => ({ type: "image" as const, mimeType: "image/png", data: new Uint8Array(data) }));

/** A conversation that all three formats can express: a system message, then turns with parallel calls and all their results. */
const conversation = fc
  .tuple(
    text,
    fc.array(
      fc.tuple(
        text,
        fc.option(png),
        fc.array(fc.tuple(fc.json(), text, fc.boolean()), { maxLength: 3 }),
        text,
      ),
    ),
  )
  .map(([system, turns]): ChatMessage[] => [
    { role: "system", content: system },
    ...turns.flatMap(([question, image, calls, answer], turn): ChatMessage[] => {
      const named = calls.map(([argument, result, isError], index) => ({
        call: {
          id: `call-${turn}-${index}`,
          name: "look",
          arguments: JSON.stringify({ argument }),
        },
        answer: {
          role: "tool" as const,
          toolCallId: `call-${turn}-${index}`,
          content: result,
          isError: isError || undefined,
        },
      }));
      const content =
        image === null ? question : [{ type: "text" as const, text: question }, image];
      const asked: ChatMessage[] =
        named.length === 0
          ? []
          : [
              { role: "assistant", content: [], toolCalls: named.map(({ call }) => call) },
              ...named.map(({ answer }) => answer),
            ];
      return [{ role: "user", content }, ...asked, { role: "assistant", content: answer }];
    }),
  ]);

const blocksIn = (turns: readonly { content: unknown }[]): JsonRecord[] =>
  turns.flatMap((turn) => arrayAt(turn, "content").filter(isRecord));

const plain = (messages: readonly ChatMessage[]): unknown[] =>
  messages.map(({ content, toolCalls, ...message }) => ({
    ...message,
    isError: undefined,
    content: content === "" || content.length === 0 ? "" : content,
    toolCalls: toolCalls ?? [],
  }));

describe("every wire format", () => {
  const formats = {
    openai: (messages: ChatMessage[]) => fromOpenAiMessages(toOpenAiMessages(messages)),
    anthropic: (messages: ChatMessage[]) => fromAnthropicMessages(toAnthropicMessages(messages)),
    "ai-sdk": (messages: ChatMessage[]) => fromAiSdkMessages(toAiSdkMessages(messages)),
    responses: (messages: ChatMessage[]) => fromResponsesItems(toResponsesItems(messages)),
  };

  it.each(Object.entries(formats))(
    "%s gives back the messages that it was given",
    (_, roundTrip) => {
      fc.assert(
        fc.property(conversation, (messages) => {
          expect(plain(roundTrip(messages))).toEqual(plain(messages));
        }),
      );
    },
  );

  it.each(["anthropic", "ai-sdk"] as const)("%s keeps which results are errors", (name) => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const errors = (list: ChatMessage[]): unknown[] =>
          list.map(({ isError }) => isError === true);
        expect(errors(formats[name](messages))).toEqual(errors(messages));
      }),
    );
  });

  it.each([
    { role: "narrator", content: "x" },
    { role: "user", content: [{ type: "hologram" }] },
    { role: "user", content: [{ type: "toString" }] },
  ])("passes on what it does not know: %j", (message) => {
    const wire = [{ role: "user", content: "fine" }, message];
    expect(toOpenAiMessages(fromOpenAiMessages(wire))).toEqual(wire);
    expect(toAiSdkMessages(fromAiSdkMessages(wire))).toEqual(wire);
    expect(toResponsesItems(fromResponsesItems(wire))).toEqual(wire);
    const conversation = { messages: wire };
    expect(toAnthropicMessages(fromAnthropicMessages(conversation))).toEqual(conversation);
  });

  it("refuses what is no list of messages", () => {
    const nothing = JSON.parse("null");
    const froms = [
      fromOpenAiMessages,
      fromAiSdkMessages,
      toOpenAiMessages,
      toAnthropicMessages,
      toAiSdkMessages,
    ];
    for (const given of [nothing, [nothing], "hi"]) {
      for (const convert of froms) expect(() => convert(given)).toThrow(WireError);
      expect(() => fromAnthropicMessages({ messages: given })).toThrow(
        /must be a list of objects|Message 0/,
      );
    }
    expect(() => fromAnthropicMessages(nothing)).toThrow(WireError);
  });

  it("sends a call with broken arguments, and what a tool gave that the format has no place for", () => {
    const wav: Part = { type: "file", mimeType: "audio/wav", url: "https://example.org/a" };
    const messages: ChatMessage[] = [
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c", name: "look", arguments: "{broken" }],
      },
      { role: "tool", toolCallId: "c", content: [wav] },
    ];
    const content = [
      { type: "text", text: "[audio/wav at https://example.org/a: can't be shown here]" },
    ];
    const input = { INVALID_JSON: "{broken" };
    expect(toOpenAiMessages(messages)[2]).toEqual({ role: "tool", tool_call_id: "c", content });
    expect(toAnthropicMessages(messages).messages.slice(1)).toEqual([
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "look", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content }] },
    ]);
    expect(toAiSdkMessages(messages).slice(1)).toMatchObject([
      { content: [{ type: "tool-call", input }] },
      {
        content: [
          {
            type: "tool-result",
            output: {
              type: "content",
              value: [{ type: "file-url", url: "https://example.org/a" }],
            },
          },
        ],
      },
    ]);
  });

  it("reports what it left out", () => {
    const orphan: ChatMessage[] = [{ role: "tool", content: "x" }];
    for (const to of [toOpenAiMessages, toAnthropicMessages, toAiSdkMessages]) {
      const lost: unknown[] = [];
      to(orphan, { report: (loss) => lost.push(loss) });
      expect(lost).toMatchObject([{ index: 0, type: "tool" }]);
    }
  });
});

describe("a message without content", () => {
  const messages: ChatMessage[] = [
    { role: "user", content: "Go" },
    { role: "assistant", content: [] },
    { role: "assistant", content: [], toolCalls: [{ id: "c", name: "look", arguments: "{}" }] },
    { role: "tool", toolCallId: "c", content: [] },
    { role: "tool", toolCallId: "c", content: [{ type: "text", text: " " }], isError: true },
  ];
  const toolCalls = [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }];

  it("is empty text for OpenAI", () => {
    expect(toOpenAiMessages(messages.slice(0, 4))).toEqual([
      { role: "user", content: "Go" },
      { role: "assistant", content: "" },
      { role: "assistant", content: null, tool_calls: toolCalls },
      { role: "tool", tool_call_id: "c", content: "" },
    ]);
  });

  it("is left out for Anthropic, and a result keeps its block", () => {
    const result = { type: "tool_result", tool_use_id: "c" };
    expect(toAnthropicMessages(messages).messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Go" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "look", input: {} }] },
      { role: "user", content: [result, { ...result, is_error: true }] },
    ]);
  });

  it("is left out for the AI SDK, and a result is empty text", () => {
    const result = { type: "tool-result", toolCallId: "c", toolName: "look" };
    expect(toAiSdkMessages(messages)).toEqual([
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: "look", input: {} }],
      },
      {
        role: "tool",
        content: [
          { ...result, output: { type: "text", value: "" } },
          { ...result, output: { type: "error-text", value: " " } },
        ],
      },
    ]);
  });
});

describe("OpenAI's messages", () => {
  it("come back as they were taken in, fields without a counterpart included", () => {
    const wire = [
      { role: "developer", content: "Be brief.", name: "operator" },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "https://example.org/a.png", detail: "high" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
          { type: "input_audio", input_audio: { data: "AQID", format: "wav" } },
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AQID" },
          },
          { type: "file", file: { file_id: "file-1" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "done" },
      { role: "assistant", content: "Yes.", refusal: null, annotations: [] },
    ];
    expect(toOpenAiMessages(fromOpenAiMessages(wire))).toEqual(wire);
  });

  it("keep a refusal and an answer by voice as words that a prompt can hold", () => {
    const wire = [
      { role: "assistant", content: null, refusal: "I can't." },
      { role: "assistant", content: null, audio: { id: "a1" } },
    ];
    const messages = fromOpenAiMessages(wire);
    expect(messages.map(({ content }) => content)).toEqual(["I can't.", "[audio]"]);
    expect(toOpenAiMessages(messages)).toEqual(wire);
  });
});

describe("Anthropic's messages", () => {
  it("come back as they were taken in, signed thinking and cache marks included", () => {
    const wire = {
      system: [{ type: "text", text: "Rules.", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Go" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm", signature: "sig" },
            { type: "redacted_thinking", data: "xyz" },
            { type: "text", text: "I look." },
            { type: "tool_use", id: "t1", name: "look", input: { at: 1 } },
            {
              type: "tool_use",
              id: "t2",
              name: "look",
              input: { at: 2 },
              cache_control: { type: "ephemeral" },
            },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "one" },
            {
              type: "tool_result",
              tool_use_id: "t2",
              content: [{ type: "text", text: "two" }],
              is_error: true,
            },
            { type: "text", text: "And now?" },
          ],
        },
      ],
    };
    expect(toAnthropicMessages(fromAnthropicMessages(wire))).toEqual(wire);
  });

  it("mark a breakpoint on the last block that can carry one", () => {
    const messages: ChatMessage[] = [
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "So" },
          { type: "reasoning", text: "Hm", signature: "s" },
        ],
      },
    ];
    expect(toAnthropicMessages(messages, { breakpoints: [1] }).messages[1]?.content[0]).toEqual({
      type: "text",
      text: "So",
      cache_control: { type: "ephemeral" },
    });
  });

  it("carry the caller's breakpoints alone, where there are some", () => {
    const cache_control = { type: "ephemeral" };
    const result = {
      type: "tool_result",
      tool_use_id: "t",
      content: [{ type: "text", text: "r", cache_control }],
    };
    const messages = fromAnthropicMessages({
      system: [{ type: "text", text: "Rules.", cache_control }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Go", cache_control }] },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "t", name: "look", input: {}, cache_control }],
        },
        { role: "user", content: [{ ...result, cache_control }] },
      ],
    });
    const marksIn = (value: unknown): number =>
      JSON.stringify(value).split("cache_control").length - 1;
    expect(marksIn(toAnthropicMessages(messages))).toBe(5);
    expect(marksIn(toAnthropicMessages(messages, { breakpoints: [] }))).toBe(0);
    const { messages: turns } = toAnthropicMessages(messages, { breakpoints: [1] });
    expect(marksIn(turns)).toBe(1);
    expect(turns[0]?.content).toEqual([{ type: "text", text: "Go", cache_control }]);
  });

  it("turn text into a block that carries a breakpoint, where the message has one", () => {
    const cache_control = { type: "ephemeral" };
    const providerMetadata = { anthropic: { cache_control } };
    const wire = { system: "Rules.", messages: [{ role: "user", content: "Go" }] };
    const messages = fromAnthropicMessages(wire);
    expect(toAnthropicMessages(messages)).toEqual(wire);
    const withMarks = messages.map((message) => ({
      ...message,
      providerMetadata: { ...message.providerMetadata, ...providerMetadata },
    }));
    expect(toAnthropicMessages(withMarks)).toEqual({
      system: [{ type: "text", text: "Rules.", cache_control }],
      messages: [{ role: "user", content: [{ type: "text", text: "Go", cache_control }] }],
    });
  });

  it("move a breakpoint of a message without content to the turn before it", () => {
    const messages: ChatMessage[] = [
      { role: "user", content: "Go" },
      { role: "assistant", content: "" },
      { role: "user", content: "On" },
    ];
    const cache_control = { type: "ephemeral" };
    const { messages: turns } = toAnthropicMessages(messages, { breakpoints: [1] });
    expect(blocksIn(turns)).toEqual([
      { type: "text", text: "Go", cache_control },
      { type: "text", text: "On" },
    ]);
  });

  it("mark the last 4 of more breakpoints, and nothing for what is no index", () => {
    const messages = Array.from({ length: 6 }, (_, at): ChatMessage => ({
      role: "user",
      content: `${at}`,
    }));
    const { messages: turns } = toAnthropicMessages(messages, {
      breakpoints: [5, 0, 1, 2, 2, 3, 4, -1, 99, 0.5],
    });
    expect(blocksIn(turns).map((block) => "cache_control" in block)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
  });

  it("hold no text without a word, the thinking that a provider kept, and ids that the API takes, each once", () => {
    const use = (id: string): ChatMessage[] => [
      { role: "assistant", content: "\n\n", toolCalls: [{ id, name: "look", arguments: "{}" }] },
      { role: "tool", toolCallId: id, content: id },
    ];
    const [asked, answer] = use("call_0");
    const hidden = { type: "redacted_thinking", data: "xyz" };
    const reasoning = [{ type: "thinking", thinking: "Hm", signature: "s" }, hidden];
    const thought: ChatMessage[] =
      asked === undefined || answer === undefined
        ? []
        : [{ ...asked, providerMetadata: { anthropic: { reasoning } } }, answer];
    const ids = ["call_0", "call_0", "call_0_2", "functions.look:0", ""];
    const messages: ChatMessage[] = [
      { role: "user", content: "Go" },
      ...thought,
      ...ids.flatMap(use),
    ];
    const blocks = blocksIn(toAnthropicMessages(messages).messages);
    expect(blocks.slice(1, 3)).toEqual(reasoning);
    expect(
      blocks
        .slice(3)
        .map((block) => (block["type"] === "tool_use" ? block["id"] : block["tool_use_id"])),
    ).toEqual(
      ["call_0", "call_0_2", "call_0_3", "call_0_2_2", "functions_look_0", "_"].flatMap((id) => [
        id,
        id,
      ]),
    );
  });

  it("keep a system message in the middle in its place", () => {
    const messages: ChatMessage[] = [
      { role: "user", content: "Hi" },
      { role: "system", content: "Late rules" },
    ];
    expect(toAnthropicMessages(messages)).toEqual({
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        { role: "system", content: [{ type: "text", text: "Late rules" }] },
      ],
    });
  });
});

describe("the AI SDK's messages", () => {
  it("come back as they were taken in, provider options and JSON outputs included", () => {
    const wire = [
      {
        role: "system",
        content: "Rules.",
        providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
      },
      {
        role: "user",
        content: [
          { type: "text", text: "Go" },
          {
            type: "file",
            data: new Uint8Array([1]),
            mediaType: "application/pdf",
            filename: "a.pdf",
          },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm", providerOptions: { anthropic: { signature: "s" } } },
          { type: "text", text: "I look." },
          {
            type: "tool-call",
            toolCallId: "c1",
            toolName: "look",
            input: { at: 1 },
            providerOptions: { google: { thoughtSignature: "x" } },
          },
          { type: "tool-call", toolCallId: "c2", toolName: "look", input: {} },
          {
            type: "tool-call",
            toolCallId: "c3",
            toolName: "search",
            input: {},
            providerExecuted: true,
          },
          {
            type: "tool-result",
            toolCallId: "c3",
            toolName: "search",
            output: { type: "json", value: [1] },
          },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "look",
            output: { type: "json", value: { found: true } },
          },
          {
            type: "tool-result",
            toolCallId: "c2",
            toolName: "look",
            output: { type: "error-text", value: "gone" },
          },
        ],
      },
    ];
    const messages = fromAiSdkMessages(wire);
    const back = toAiSdkMessages(messages).map((message) => {
      if (message.role !== "assistant" || typeof message.content === "string") return message;
      const order = ["reasoning", "text", "tool-call", "tool-result"];
      const content = message.content.toSorted(
        (a, b) => order.indexOf(a.type) - order.indexOf(b.type),
      );
      return {
        ...message,
        content: content.map((part) =>
          part.type === "tool-result" ? { ...part, providerOptions: undefined } : part,
        ),
      };
    });
    expect(back).toEqual(wire);
    expect(messages.every((message) => JSON.stringify(message).length > 0)).toBe(true);
  });

  it("take images as bytes, base64, data addresses and addresses", () => {
    const digest = createHash("sha256").update("pixels").digest();
    const forms = [
      new Uint8Array(digest),
      digest.toString("base64"),
      `data:image/png;base64,${digest.toString("base64")}`,
    ];
    for (const image of forms) {
      const [message] = fromAiSdkMessages([
        { role: "user", content: [{ type: "image", image, mediaType: "image/png" }] },
      ]);
      expect(message?.content).toMatchObject([
        { type: "image", mimeType: "image/png", data: new Uint8Array(digest) },
      ]);
    }
    const url = new URL("https://example.org/a.png");
    const [message] = fromAiSdkMessages([
      { role: "user", content: [{ type: "image", image: url }] },
    ]);
    expect(message?.content).toMatchObject([{ type: "image", mimeType: "image/*", url: url.href }]);
  });

  it("keep the order of what the assistant did with a provider's tool and said then", () => {
    const call = {
      type: "tool-call",
      toolCallId: "a",
      toolName: "search",
      input: {},
      providerExecuted: true,
    };
    const result = {
      type: "tool-result",
      toolCallId: "a",
      toolName: "search",
      output: { type: "text", value: "r" },
    };
    const wire = [
      {
        role: "assistant",
        content: [call, result, { type: "text", text: "So." }],
        providerOptions: { x: { y: 1 } },
      },
      { role: "assistant", content: [{ type: "text", text: "And." }] },
    ];
    expect(fromAiSdkMessages(wire)[0]?.content).toMatchObject([
      { type: "provider", pairId: "a" },
      { type: "provider", pairId: "a" },
      { type: "text", text: "So." },
    ]);
    expect(toAiSdkMessages(fromAiSdkMessages(wire))).toEqual(wire);
  });

  it("give back media by their address that a tool gave", () => {
    const part = {
      type: "image-url",
      url: "https://example.org/a.png",
      providerOptions: { x: { y: 1 } },
    };
    const wire = [
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "a", toolName: "look", input: {} }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "a",
            toolName: "look",
            output: { type: "content", value: [part] },
          },
        ],
      },
    ];
    expect(toAiSdkMessages(fromAiSdkMessages(wire))).toEqual(wire);
  });

  it.each([
    ["an error in words", true, { type: "error-text", value: "gone\nfor good" }],
    [
      "an answer in words",
      undefined,
      {
        type: "content",
        value: [
          { type: "text", text: "gone", providerOptions: { x: { y: 1 } } },
          { type: "text", text: "for good" },
        ],
      },
    ],
  ])("give %s that came in parts", (_name, isError, output) => {
    const content: Part[] = [
      { type: "text", text: "gone", providerMetadata: { x: { y: 1 } } },
      { type: "text", text: "for good" },
    ];
    const messages: ChatMessage[] = [
      { role: "assistant", content: "", toolCalls: [{ id: "a", name: "look", arguments: "{}" }] },
      { role: "tool", toolCallId: "a", content, isError },
    ];
    const wire = toAiSdkMessages(messages);
    expect(wire[1]).toMatchObject({ content: [{ output }] });
    expect(fromAiSdkMessages(wire)[1]).toMatchObject(isError === true ? { isError } : { content });
  });
});
