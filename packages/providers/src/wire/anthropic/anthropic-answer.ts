import type { FinishReason, ModelResponse, ModelUsage, ToolCall } from "@ccl/core";
import {
  arrayAt,
  isRecord,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import { metadataOf, without } from "../../json/json-record.ts";
import { callRecord } from "../call-input.ts";
import { entryOf } from "../wire-fields.ts";

/** A whole message of `/v1/messages`. Its thinking blocks stand in `providerMetadata.anthropic.reasoning`, to be sent back. */
export function fromAnthropicAnswer(message: JsonRecord): ModelResponse {
  const blocks = arrayAt(message, "content").filter(isRecord);
  const ofType = (type: string): JsonRecord[] => blocks.filter((block) => block["type"] === type);
  const reasoning = blocks.filter(
    ({ type }) => type === "thinking" || type === "redacted_thinking",
  );
  const known = new Set<unknown>(["text", "tool_use", "thinking", "redacted_thinking"]);
  const others = blocks.filter(({ type }) => !known.has(type));
  const usage = recordAt(message, "usage");
  const thoughts = ofType("thinking").map((block) => stringAt(block, "thinking") ?? "");
  return withoutUndefined({
    text: ofType("text")
      .map((block) => stringAt(block, "text") ?? "")
      .join(""),
    reasoning: thoughts.join("") || undefined,
    toolCalls: ofType("tool_use").map(toToolCall),
    finishReason: fromAnthropicFinishReason(message["stop_reason"]),
    usage: fromAnthropicUsage(usage),
    requestId: stringAt(message, "id"),
    providerMetadata: metadataOf("anthropic", {
      ...without(message, "id", "type", "role", "content", "stop_reason", "usage"),
      usage: without(usage, ...countedFields),
      reasoning: reasoning.length > 0 ? reasoning : undefined,
      content: others.length > 0 ? others : undefined,
      citations: citationsOf(ofType("text")),
    }),
  });
}

const countedFields = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
];

function citationsOf(blocks: readonly JsonRecord[]): unknown[] | undefined {
  const citations = blocks.flatMap((block) => arrayAt(block, "citations"));
  return citations.length > 0 ? citations : undefined;
}

/** A block of type `tool_use` as a call. */
export function toToolCall(block: JsonRecord): ToolCall {
  return {
    id: stringAt(block, "id") ?? "",
    name: stringAt(block, "name") ?? "",
    arguments: JSON.stringify(block["input"] ?? {}),
  };
}

const finishReasons: Record<string, FinishReason | undefined> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

/** Why the model stopped, from `stop_reason`. */
function fromAnthropicFinishReason(reason: unknown): FinishReason {
  return entryOf(finishReasons, reason) ?? "other";
}

const stopReasons: Record<FinishReason, string> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
  other: "end_turn",
};

/** The reason as `stop_reason`, which has no word for `other`. */
function toAnthropicFinishReason(reason: FinishReason): string {
  return stopReasons[reason];
}

/** Token counts. The API counts cached input apart from `input_tokens`; core counts all input together. */
export function fromAnthropicUsage(usage: unknown): ModelUsage | undefined {
  const input = numberAt(usage, "input_tokens");
  const output = numberAt(usage, "output_tokens");
  if (input === undefined && output === undefined) return undefined;
  const cachedInputTokens = numberAt(usage, "cache_read_input_tokens");
  const cacheWriteTokens = numberAt(usage, "cache_creation_input_tokens");
  return withoutUndefined({
    inputTokens: (input ?? 0) + (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: output ?? 0,
    cachedInputTokens,
    cacheWriteTokens,
  });
}

/** The counts as `usage` of a message. */
function toAnthropicUsage(usage: ModelUsage): JsonRecord {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = usage;
  return withoutUndefined({
    input_tokens: inputTokens - (cachedInputTokens ?? 0) - (cacheWriteTokens ?? 0),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
  });
}

/** The answer as a message of `/v1/messages`. Thinking that came from there keeps its signature. */
export function toAnthropicAnswer(
  response: ModelResponse,
  { model }: { model: string },
): JsonRecord {
  const { text, reasoning, toolCalls, usage, providerMetadata } = response;
  const own = arrayAt(recordAt(providerMetadata, "anthropic"), "reasoning");
  const thinking = [{ type: "thinking", thinking: reasoning, signature: "" }];
  return {
    id: response.requestId ?? "",
    type: "message",
    role: "assistant",
    model,
    content: [
      ...(own.length > 0 || reasoning === undefined ? own : thinking),
      ...(text === "" ? [] : [{ type: "text", text, citations: null }]),
      ...toolCalls.map((call) => ({
        type: "tool_use",
        id: call.id,
        name: call.name,
        input: callRecord(call),
      })),
    ],
    stop_reason: toAnthropicFinishReason(response.finishReason),
    stop_sequence: null,
    usage: toAnthropicUsage(usage ?? { inputTokens: 0, outputTokens: 0 }),
  };
}
