import type { ModelResponse, ModelUsage, ToolCall } from "@ccl/core";
import {
  arrayAt,
  isRecord,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import { answeredCall, withCallIds } from "../call-ids.ts";
import { finishReasonOf } from "../finish-reason.ts";
import { firstIn, metadataOf, tokenUsage, without } from "../wire-fields.ts";

/**
 * Converts the first choice of a `/chat/completions` answer. Returns undefined if there is none. Keeps fields that a
 * response lacks in `providerMetadata`, under the provider's name.
 */
export function fromOpenAiAnswer(body: JsonRecord, provider: string): ModelResponse | undefined {
  const choice = firstIn(body, "choices");
  if (choice === undefined) return undefined;
  const message = recordAt(choice, "message");
  const requestId = stringAt(body, "id");
  const toolCalls = withCallIds(callsOf(message).map(toToolCall), requestId);
  const refusal = stringAt(message, "refusal");
  // A refusal means a filtered answer, whatever the finish reason. With tool calls, some servers send none.
  const reason = choice["finish_reason"] || (toolCalls.length > 0 ? "tool_calls" : undefined);
  return withoutUndefined({
    text: textOf(message),
    reasoning: reasoningOf(message),
    toolCalls,
    finishReason: finishReasonOf(refusal ? "refusal" : reason, toolCalls.length),
    // Groq and Moonshot report usage in other fields.
    usage: fromOpenAiUsage(body["usage"] ?? recordAt(body, "x_groq")["usage"] ?? choice["usage"]),
    requestId,
    providerMetadata: metadataOf(provider, {
      ...unknownFields(body),
      choice: without(choice, "index", "message", "finish_reason", "usage"),
      message: without(message, ...readFields),
    }),
  });
}

const readFields = [
  "role",
  "content",
  "reasoning",
  "reasoning_content",
  "tool_calls",
  "function_call",
];

/** Returns the fields of a body that a response lacks. */
function unknownFields(body: JsonRecord): JsonRecord {
  return {
    ...without(body, "id", "object", "choices", "usage"),
    usage: without(
      recordAt(body, "usage"),
      "prompt_tokens",
      "completion_tokens",
      "total_tokens",
      "prompt_cache_hit_tokens",
      "cost",
    ),
  };
}

/** Returns the calls of a message or a delta, including the single call of older servers. */
export function callsOf(message: JsonRecord): unknown[] {
  const { tool_calls: calls, function_call: only } = message;
  if (Array.isArray(calls) && calls.length > 0) return calls;
  if (isRecord(calls)) return [calls];
  return isRecord(only) ? [{ index: 0, function: only }] : [];
}

/** Returns the text of a message or a delta. Mistral and some gateways send a list of parts. */
export function textOf(message: JsonRecord): string {
  return stringAt(message, "content") ?? textIn(arrayAt(message, "content"), "text");
}

/** Returns the reasoning, under any of the field names that servers use. */
export function reasoningOf(message: JsonRecord): string | undefined {
  return (
    stringAt(message, "reasoning_content") ||
    stringAt(message, "reasoning") ||
    textIn(arrayAt(message, "content"), "thinking") ||
    textIn(arrayAt(message, "reasoning_details"), "reasoning.text") ||
    undefined
  );
}

// A `thinking` part has a text or, at Mistral, a list of text parts. OpenRouter sends details of type `reasoning.text`.
function textIn(parts: readonly unknown[], type: "text" | "thinking" | "reasoning.text"): string {
  const field = type === "thinking" ? type : "text";
  return parts
    .filter((part) => stringAt(part, "type") === type)
    .map((part) => stringAt(part, field) ?? textIn(arrayAt(part, field), "text"))
    .join("");
}

/** Converts a call, or a piece of one in a stream. */
export function toToolCall(call: unknown): ToolCall {
  const { name, arguments: input } = recordAt(call, "function");
  return answeredCall(stringAt(call, "id"), name, input);
}

/** Converts token counts. Returns undefined if the server sent none. */
export function fromOpenAiUsage(usage: unknown): ModelUsage | undefined {
  const details = recordAt(usage, "prompt_tokens_details");
  return tokenUsage({
    inputTokens: numberAt(usage, "prompt_tokens"),
    outputTokens: numberAt(usage, "completion_tokens"),
    reasoningTokens: numberAt(recordAt(usage, "completion_tokens_details"), "reasoning_tokens"),
    cachedInputTokens:
      numberAt(details, "cached_tokens") ?? numberAt(usage, "prompt_cache_hit_tokens"),
    costUsd: numberAt(usage, "cost"),
  });
}
