import path from "node:path";

import type { ChatMessage } from "@ccl/core";
import { modelMessageSchema } from "ai";
import { modelMessageSchema as schema5 } from "ai-v5";
import { modelMessageSchema as schema7 } from "ai-v7";
import fc from "fast-check";
import ts from "typescript";
import { expect, it } from "vitest";

import { aiSdk, anthropic, chat, responses } from "../../test-support/golden-shapes.ts";
import { conversation } from "../../test-support/random-conversation.ts";
import { fromAiSdkMessages, toAiSdkMessages } from "./ai-sdk/index.ts";
import { fromAnthropicMessages, toAnthropicMessages } from "./anthropic/index.ts";
import { fromOpenAiMessages, toOpenAiMessages } from "./openai-chat/index.ts";
import { fromResponsesItems, toResponsesInput } from "./openai-responses/index.ts";
import { byLength, isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

// The clients of OpenAI and Anthropic have no schema but their types, so that the compiler checks what is written.
const targets: Record<string, { type: string; to: (messages: ChatMessage[]) => unknown }> = {
  "openai-chat": {
    type: 'import("openai").OpenAI.ChatCompletionMessageParam[]',
    to: (messages) => toOpenAiMessages(messages),
  },
  "openai-responses": {
    type: 'import("openai").OpenAI.Responses.ResponseInput | string',
    to: (messages) => toResponsesInput(messages).input,
  },
  anthropic: {
    type: 'Pick<import("@anthropic-ai/sdk").Anthropic.MessageCreateParams, "messages" | "system">',
    to: (messages) => toAnthropicMessages(messages),
  },
};

/** Conversations as each format gives them to the others. */
const golden: Record<string, ChatMessage[][]> = {
  "openai-chat": Object.values(chat).map((shape) => fromOpenAiMessages(shape)),
  "openai-responses": Object.values(responses).map((shape) => fromResponsesItems(shape)),
  anthropic: Object.values(anthropic).map((messages) => fromAnthropicMessages({ messages })),
  "ai-sdk": Object.values(aiSdk).map((shape) => fromAiSdkMessages(shape)),
};

const samples = byLength({ test: 40, ci: 100, faults: 400 });
// The compiler takes seconds to read the types of the clients.
const isInCi = isAtLeast("ci");

// Both checks read the same libraries and types of the clients.
const parsed = new Map<string, ts.SourceFile | undefined>();

/** What the compiler has against these values, by their place. */
function problemsOf(
  values: { type: string; value: unknown }[],
): { value: unknown; problem: string }[] {
  const lines = values.map(
    ({ type, value }, index) => `export const value${index}: ${type} = ${JSON.stringify(value)};`,
  );
  const file = path.join(import.meta.dirname, "request-types.generated.ts");
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) => {
    if (name === file) return ts.createSourceFile(name, lines.join("\n"), ts.ScriptTarget.ES2022);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest));
    return parsed.get(name);
  };
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  return program.getSemanticDiagnostics(source).map(({ start = 0, messageText }) => ({
    value: values[source?.getLineAndCharacterOfPosition(start).line ?? 0]?.value,
    problem: ts.flattenDiagnosticMessageText(messageText, "\n").slice(0, 600),
  }));
}

it.runIf(isInCi)("fits the types of the official clients, whatever a conversation holds", () => {
  const random = fc.sample(conversation, { numRuns: samples, seed: 7 });
  const values = Object.entries(targets).flatMap(([name, { type, to }]) => {
    const others = Object.entries(golden).flatMap(([from, all]) => (from === name ? [] : all));
    return [...others, ...random].map((messages) => ({ type, value: to(messages) }));
  });
  expect(values.length).toBeGreaterThan(3 * samples + 100);
  expect(problemsOf(values)).toEqual([]);
});

it.runIf(isInCi)("would not pass a field that a client's type does not know", () => {
  const [type = ""] = Object.values(targets).map((target) => target.type);
  const wrong = [
    [{ role: "user", content: [{ type: "text", words: "Hi" }] }],
    [{ role: "tool", content: "x" }],
    [{ role: "user", content: "Hi", surprise: 1 }],
  ];
  expect(problemsOf(wrong.map((value) => ({ type, value })))).toHaveLength(wrong.length);
});

it("fits the schemas of the AI SDK 5, 6 and 7, whatever a conversation holds", () => {
  const schemas = { v2: schema5, v3: modelMessageSchema, v4: schema7 };
  const others = Object.entries(golden).flatMap(([from, all]) => (from === "ai-sdk" ? [] : all));
  const valid = (messages: ChatMessage[]): void => {
    for (const [version, schema] of Object.entries(schemas))
      for (const sent of toAiSdkMessages(messages, { version }))
        expect(schema.safeParse(sent).success ? undefined : sent).toBeUndefined();
  };
  others.forEach(valid);
  fc.assert(fc.property(conversation, valid), { numRuns: samples });
});
