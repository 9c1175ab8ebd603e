import { createHash } from "node:crypto";
import type { ChatMessage } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromAiSdkMessages, toAiSdkMessages } from "../ai-sdk/index.ts";
import { fromAnthropicMessages, toAnthropicMessages } from "../anthropic/index.ts";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { fromOpenAiMessages, toOpenAiMessages } from "../openai/index.ts";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const png = fc
  .uint8Array({ maxLength: 24 })
  .map((data) => ({ type: "image" as const, mimeType: "image/png", data: new Uint8Array(data) }));

/** A conversation that all three formats can express: a system message, then turns with parallel calls and all their results. */
const conversation = fc
  .tuple(
    text,
    fc.array(fc.tuple(text, fc.option(png), fc.array(fc.tuple(fc.json(), text, fc.boolean()), { maxLength: 3 }), text)),
  )
  .map(([system, turns]): ChatMessage[] => [
    { role: "system", content: system },
    ...turns.flatMap(([question, image, calls, answer], turn): ChatMessage[] => {
      const named = calls.map(([argument, result, isError], index) => ({
        call: { id: `call-${turn}-${index}`, name: "look", arguments: JSON.stringify({ argument }) },
        answer: {
          role: "tool" as const,
          toolCallId: `call-${turn}-${index}`,
          content: result,
          ...(isError ? { isError } : {}),
        },
      }));
      const content = image === null ? question : [{ type: "text" as const, text: question }, image];
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
  };

  it.each(Object.entries(formats))("%s gives back the messages that it was given", (_, roundTrip) => {
    fc.assert(
      fc.property(conversation, (messages) => {
        expect(plain(roundTrip(messages))).toEqual(plain(messages));
      }),
    );
  });

  it.each(["anthropic", "ai-sdk"] as const)("%s keeps which results are errors", (name) => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const errors = (list: ChatMessage[]): unknown[] => list.map(({ isError }) => isError === true);
        expect(errors(formats[name](messages))).toEqual(errors(messages));
      }),
    );
  });

  it.each(Object.entries({ fromOpenAiMessages, fromAiSdkMessages }))(
    "%s refuses what is no message, and names it",
    (_, from) => {
      for (const message of [
        {},
        { role: "narrator", content: "x" },
        { role: "user", content: [{ type: "hologram" }] },
      ]) {
        expect(() => from([{ role: "user", content: "fine" }, message])).toThrow(/message 1/);
      }
    },
  );

  it("fails with the package's error", () => {
    const orphan: ChatMessage[] = [{ role: "tool", content: "x" }];
    for (const to of [toOpenAiMessages, toAnthropicMessages, toAiSdkMessages]) {
      expect(() => to(orphan)).toThrow(ContextCompilerError);
    }
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
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AQID" } },
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

  it("mark a breakpoint on the last part of its message", () => {
    const messages: ChatMessage[] = [
      { role: "system", content: "Rules." },
      { role: "user", content: "Hello" },
    ];
    expect(toOpenAiMessages(messages, { breakpoints: [0] })).toMatchInlineSnapshot(`
      [
        {
          "content": [
            {
              "prompt_cache_breakpoint": {
                "mode": "explicit",
              },
              "text": "Rules.",
              "type": "text",
            },
          ],
          "role": "system",
        },
        {
          "content": "Hello",
          "role": "user",
        },
      ]
    `);
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
            { type: "tool_use", id: "t2", name: "look", input: { at: 2 }, cache_control: { type: "ephemeral" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "one" },
            { type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: "two" }], is_error: true },
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

  it("refuse a system message in the middle", () => {
    const messages: ChatMessage[] = [
      { role: "user", content: "Hi" },
      { role: "system", content: "Late rules" },
    ];
    expect(() => toAnthropicMessages(messages)).toThrow("system message after the first turn");
  });
});

describe("the AI SDK's messages", () => {
  it("come back as they were taken in, provider options and JSON outputs included", () => {
    const wire = [
      { role: "system", content: "Rules.", providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
      {
        role: "user",
        content: [
          { type: "text", text: "Go" },
          { type: "file", data: new Uint8Array([1]), mediaType: "application/pdf", filename: "a.pdf" },
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
          { type: "tool-call", toolCallId: "c3", toolName: "search", input: {}, providerExecuted: true },
          { type: "tool-result", toolCallId: "c3", toolName: "search", output: { type: "json", value: [1] } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "json", value: { found: true } } },
          { type: "tool-result", toolCallId: "c2", toolName: "look", output: { type: "error-text", value: "gone" } },
        ],
      },
    ];
    const messages = fromAiSdkMessages(wire);
    const back = toAiSdkMessages(messages).map((message) => {
      if (message.role !== "assistant" || typeof message.content === "string") return message;
      const order = ["reasoning", "text", "tool-call", "tool-result"];
      const content = message.content.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
      return {
        ...message,
        content: content.map((part) => (part.type === "tool-result" ? { ...part, providerOptions: undefined } : part)),
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
      expect(message?.content).toEqual([{ type: "image", mimeType: "image/png", data: new Uint8Array(digest) }]);
    }
    const url = new URL("https://example.org/a.png");
    const [message] = fromAiSdkMessages([{ role: "user", content: [{ type: "image", image: url }] }]);
    expect(message?.content).toEqual([{ type: "image", mimeType: "image/*", url: url.href }]);
  });

  it("mark a breakpoint with provider options", () => {
    const [message] = toAiSdkMessages([{ role: "system", content: "Rules." }], { breakpoints: [0] });
    expect(message?.providerOptions).toEqual({ anthropic: { cacheControl: { type: "ephemeral" } } });
  });
});
