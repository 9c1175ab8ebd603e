import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import type { ModelResponse, ToolCall } from "@ccl/core";
import * as sdk6 from "ai";
import * as sdk7 from "ai-v7";
import OpenAI from "openai";
import { z } from "zod";

import { anthropicFormat } from "../src/testing/anthropic-format.ts";
import { openAiFormat } from "../src/testing/openai-format.ts";
import { responsesFormat } from "../src/testing/responses-format.ts";
import type { Caller } from "./adapter-callers.ts";

// Each client gets the limits of the adapters in its own words: one time limit, one more attempt.
const maxRetries = 1;
const user = { role: "user" as const, content: "Hi" };
const chat = openAiFormat("openai");

const both = (
  name: string,
  format: Caller["format"],
  run: (baseUrl: string, timeoutMs: number, isStreaming: boolean) => ReturnType<Caller["run"]>,
): Caller[] => [
  { name, format, run: (baseUrl, timeoutMs) => run(baseUrl, timeoutMs, false) },
  { name: `${name}, streamed`, format, run: (baseUrl, timeoutMs) => run(baseUrl, timeoutMs, true) },
];

/** An answer of OpenAI's client. */
export function fromCompletion({ choices }: OpenAI.ChatCompletion): Partial<ModelResponse> {
  const { message, finish_reason: reason } = choices[0] ?? {};
  const toolCalls = (message?.tool_calls ?? []).flatMap((call): ToolCall[] =>
    call.type === "function" ? [{ id: call.id, ...call.function }] : [],
  );
  const finishReason = reason === "tool_calls" ? reason : "other";
  return { text: message?.content ?? "", toolCalls, finishReason };
}

function fromResponse({ output, status }: OpenAI.Responses.Response): Partial<ModelResponse> {
  const toolCalls = output.flatMap((item): ToolCall[] =>
    item.type === "function_call"
      ? [{ id: item.call_id, name: item.name, arguments: item.arguments }]
      : [],
  );
  const texts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  const text = texts.map((part) => (part.type === "output_text" ? part.text : "")).join("");
  return { text, toolCalls, finishReason: status === "completed" ? "tool_calls" : "other" };
}

function fromMessage({ content, stop_reason: reason }: Anthropic.Message): Partial<ModelResponse> {
  const toolCalls = content.flatMap((block): ToolCall[] =>
    block.type === "tool_use"
      ? [{ id: block.id, name: block.name, arguments: JSON.stringify(block.input) }]
      : [],
  );
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { text, toolCalls, finishReason: reason === "tool_use" ? "tool_calls" : "other" };
}

interface SdkResult {
  text: string;
  toolCalls: readonly { toolCallId: string; toolName: string; input: unknown }[];
  finishReason: string;
}

function fromSdk({ text, toolCalls, finishReason }: SdkResult): Partial<ModelResponse> {
  return {
    text,
    toolCalls: toolCalls.map(({ toolCallId: id, toolName: name, input }) => ({
      id,
      name,
      arguments: JSON.stringify(input),
    })),
    finishReason: finishReason === "tool-calls" ? "tool_calls" : "other",
  };
}

const described = { inputSchema: z.looseObject({}), execute: () => "done" };
const tools6 = { read: sdk6.tool(described), list: sdk6.tool(described) };
const tools7 = { read: sdk7.tool(described), list: sdk7.tool(described) };

/** The clients that people use today, with the same limits. */
export const officials: readonly Caller[] = [
  ...both("openai", chat, async (baseUrl, timeout, isStreaming) => {
    const client = new OpenAI({ apiKey: "k", baseURL: `${baseUrl}/v1`, maxRetries, timeout });
    const body = { model: "m", messages: [user] };
    return fromCompletion(
      isStreaming
        ? await client.chat.completions.stream(body).finalChatCompletion()
        : await client.chat.completions.create(body),
    );
  }),
  ...both("openai responses", responsesFormat, async (baseUrl, timeout, isStreaming) => {
    const client = new OpenAI({ apiKey: "k", baseURL: `${baseUrl}/v1`, maxRetries, timeout });
    const body = { model: "m", input: "Hi" };
    return fromResponse(
      isStreaming
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body),
    );
  }),
  ...both("@anthropic-ai/sdk", anthropicFormat, async (baseURL, timeout, isStreaming) => {
    const client = new Anthropic({ apiKey: "k", baseURL, maxRetries, timeout });
    const body = { model: "m", max_tokens: 100, messages: [user] };
    return fromMessage(
      isStreaming
        ? await client.messages.stream(body).finalMessage()
        : await client.messages.create(body),
    );
  }),
  ...both("ai 6", chat, async (baseUrl, timeout, isStreaming) => {
    const model = createOpenAICompatible({ name: "test", baseURL: `${baseUrl}/v1` })("m");
    const call = { model, tools: tools6, messages: [user], maxRetries, timeout };
    if (!isStreaming) return fromSdk(await sdk6.generateText(call));
    const stream = sdk6.streamText({ ...call, onError: () => undefined });
    const [text, toolCalls, reason] = [stream.text, stream.toolCalls, stream.finishReason];
    return fromSdk(await settled([text, toolCalls, reason]));
  }),
  ...both("ai 7", chat, async (baseUrl, timeout, isStreaming) => {
    const model = createOpenAI({ apiKey: "k", baseURL: `${baseUrl}/v1` }).chat("m");
    const call = { model, tools: tools7, messages: [user], maxRetries, timeout };
    if (!isStreaming) return fromSdk(await sdk7.generateText(call));
    const stream = sdk7.streamText({ ...call, onError: () => undefined });
    const [text, toolCalls, reason] = [stream.text, stream.toolCalls, stream.finishReason];
    return fromSdk(await settled([text, toolCalls, reason]));
  }),
];

/** All parts of a streamed answer; the other promises of one that failed are not left unhandled. */
async function settled(
  parts: [PromiseLike<string>, PromiseLike<SdkResult["toolCalls"]>, PromiseLike<string>],
): Promise<SdkResult> {
  const [text, toolCalls, finishReason] = await Promise.all(parts);
  return { text, toolCalls, finishReason };
}
