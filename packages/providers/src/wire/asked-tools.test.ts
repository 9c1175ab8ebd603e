import { expect, it } from "vitest";

import * as aiSdk from "./ai-sdk/index.ts";
import * as anthropic from "./anthropic/index.ts";
import { askedTools } from "./asked-tools.ts";
import * as chat from "./openai-chat/index.ts";
import * as responses from "./openai-responses/index.ts";

const tool = { name: "look", description: "Looks.", inputSchema: { type: "object" } };
const choices = ["auto", "none", "required", { name: "look" }] as const;

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
