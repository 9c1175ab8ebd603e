import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../messages/chat-message.ts";
import { countMessages } from "./count-messages.ts";

const countCharacters = (text: string): number => text.length;
const tool = {
  name: "find",
  description: "Finds.",
  inputSchema: { type: "object" },
  outputSchema: { type: "string" },
  execute: async (): Promise<string> => "",
};

describe("countMessages", () => {
  it.each<[what: string, messages: ChatMessage[], tokens: number]>([
    ["no messages as the header of the reply", [], 3],
    ["a message as framing, role and text", [{ role: "user", content: "hello" }], 3 + 3 + 4 + 5],
    [
      "texts and reasoning by their text",
      [
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "hm" },
            { type: "text", text: "yes" },
          ],
        },
      ],
      3 + 3 + 9 + 2 + 3,
    ],
    [
      "signatures of reasoning, and fields of a provider",
      [
        {
          role: "assistant",
          content: [
            {
              type: "reasoning",
              text: "hm",
              signature: "abc",
              providerMetadata: { a: [1] },
            },
          ],
        },
      ],
      3 + 3 + 9 + 2 + 3 + 3,
    ],
    [
      "a text file by its text and name",
      [
        {
          role: "user",
          content: [
            {
              type: "file",
              mimeType: "text/markdown",
              filename: "a.md",
              data: new TextEncoder().encode("word ".repeat(50_000)),
            },
          ],
        },
      ],
      3 + 3 + 4 + 4 + 250_000,
    ],
    [
      "an image at a flat rate",
      [{ role: "user", content: [{ type: "image", mimeType: "image/png", url: "x" }] }],
      3 + 3 + 4 + 1_600,
    ],
    [
      "a provider part by its JSON",
      [
        {
          role: "assistant",
          content: [{ type: "provider", provider: "anthropic", raw: { type: "compaction" } }],
        },
      ],
      3 + 3 + 9 + 21,
    ],
    [
      "a tool call as framing, name, arguments and id",
      [
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "call_123", name: "find", arguments: "{}" }],
        },
      ],
      3 + 3 + 9 + 3 + 4 + 2 + 8,
    ],
    [
      "provider fields by their JSON, the id of an answered call, and nothing that is not sent",
      [
        {
          id: "m1",
          role: "tool",
          content: "ok",
          toolCallId: "call_123",
          source: "log",
          providerMetadata: { a: { b: 1 }, wire: { format: "a", seal: "0123" } },
        },
      ],
      3 + 3 + 4 + 2 + 8 + 7,
    ],
  ])("counts %s", (_what, messages, tokens) => {
    expect(countMessages(countCharacters, messages)).toBe(tokens);
  });

  it("counts values that are nested too deeply for JSON.stringify", () => {
    const raw: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
    const chars = 20_000 * '{"a":}'.length + 1;
    const length = (text: string): number => text.length;
    const part = { type: "provider", provider: "p", raw } as const;
    const empty = countMessages(length, [{ role: "user", content: [] }]);
    expect(countMessages(length, [{ role: "user", content: [part] }]) - empty).toBe(chars);
    const metadata = { p: raw };
    const message = { role: "user", content: [], providerMetadata: metadata } as const;
    expect(countMessages(length, [{ ...message, content: [] }]) - empty).toBe(chars);
    const inputSchema = { properties: raw };
    const tool = { name: "read", description: "Reads.", inputSchema };
    expect(countMessages(length, [], [tool])).toBeGreaterThan(chars);
  });

  it("counts a tool as framing and the JSON that a model sees", () => {
    const json = '{"name":"find","description":"Finds.","parameters":{"type":"object"}}';
    expect(countMessages(countCharacters, [], [tool])).toBe(3 + 3 + json.length);
  });
});
