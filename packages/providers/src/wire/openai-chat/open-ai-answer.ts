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

/**
 * A whole answer of `/chat/completions`: its first choice. Fields without a place in a response stand in
 * `providerMetadata` under the provider's name.
 */
export function fromOpenAiAnswer(body: JsonRecord, provider = "openai-chat"): ModelResponse {
  const choice = firstChoice(body);
  const message = recordAt(choice, "message");
  const toolCalls = arrayAt(message, "tool_calls").map((call) => toolCallOf(call));
  const refusal = stringAt(message, "refusal");
  return withoutUndefined({
    text: textOf(message),
    reasoning: reasoningOf(message),
    toolCalls,
    finishReason: fromOpenAiFinishReason(choice["finish_reason"], {
      refusal,
      calls: toolCalls.length,
    }),
    usage: fromOpenAiUsage(body["usage"]),
    requestId: stringAt(body, "id"),
    providerMetadata: metadataOf(provider, {
      ...unknownFields(body),
      choice: without(choice, "index", "message", "finish_reason"),
      message: without(message, "role", "content", "reasoning", "reasoning_content", "tool_calls"),
    }),
  });
}

/** The fields of a body or a chunk that have no place in a response. */
export function unknownFields(body: JsonRecord): JsonRecord {
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

/** The first choice of a body or a chunk; empty when there is none. */
export function firstChoice(body: JsonRecord): JsonRecord {
  const [choice] = arrayAt(body, "choices");
  return isRecord(choice) ? choice : {};
}

/** The text of a message or a delta; Mistral and some gateways give a list of parts. */
export function textOf(message: JsonRecord): string {
  return stringAt(message, "content") ?? textIn(arrayAt(message, "content"), "text");
}

/** The reasoning under the names that servers give it. */
export function reasoningOf(message: JsonRecord): string | undefined {
  const reasoning =
    stringAt(message, "reasoning_content") ??
    stringAt(message, "reasoning") ??
    textIn(arrayAt(message, "content"), "thinking");
  return reasoning === "" ? undefined : reasoning;
}

// A part of type `thinking` has a text or, at Mistral, a list of text parts.
function textIn(parts: readonly unknown[], type: "text" | "thinking"): string {
  return parts
    .filter((part) => stringAt(part, "type") === type)
    .map((part) => stringAt(part, type) ?? textIn(arrayAt(part, type), "text"))
    .join("");
}

function toolCallOf(call: unknown): ToolCall {
  const given = recordAt(call, "function");
  const text = stringAt(given, "arguments");
  return {
    id: stringAt(call, "id") ?? "",
    name: stringAt(given, "name") ?? "",
    // Some servers give the arguments as an object.
    arguments: text ?? JSON.stringify(given["arguments"] ?? {}),
  };
}

/**
 * Why the model stopped. A refusal is a filtered answer, whatever the reason beside it says, and some servers say `stop`
 * beside calls.
 */
export function fromOpenAiFinishReason(
  reason: unknown,
  { refusal = "", calls = 0 }: { refusal?: string | undefined; calls?: number | undefined } = {},
): FinishReason {
  if (refusal !== "") return "content_filter";
  if (reason === "length" || reason === "content_filter" || reason === "tool_calls") return reason;
  if (reason === "function_call") return "tool_calls";
  if (reason === "stop") return calls > 0 ? "tool_calls" : "stop";
  return "other";
}

/** Token counts; undefined when the server counted nothing. */
export function fromOpenAiUsage(usage: unknown): ModelUsage | undefined {
  const inputTokens = numberAt(usage, "prompt_tokens");
  const outputTokens = numberAt(usage, "completion_tokens");
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const details = recordAt(usage, "prompt_tokens_details");
  return withoutUndefined({
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    reasoningTokens: numberAt(recordAt(usage, "completion_tokens_details"), "reasoning_tokens"),
    cachedInputTokens:
      numberAt(details, "cached_tokens") ?? numberAt(usage, "prompt_cache_hit_tokens"),
    costUsd: numberAt(usage, "cost"),
  });
}

/** The answer as a body of `/chat/completions`. `created` is in seconds since the epoch. */
export function toOpenAiAnswer(
  response: ModelResponse,
  { model, created = 0 }: { model: string; created?: number | undefined },
): JsonRecord {
  const { text, reasoning, toolCalls, usage } = response;
  const message = withoutUndefined({
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    refusal: null,
    reasoning_content: reasoning,
    tool_calls: toolCalls.length === 0 ? undefined : toolCalls.map(toToolCall),
  });
  const finishReason = toOpenAiFinishReason(response.finishReason);
  return withoutUndefined({
    id: response.requestId ?? "",
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage: usage && toOpenAiUsage(usage),
  });
}

function toToolCall({ id, name, arguments: text }: ToolCall): JsonRecord {
  return { id, type: "function", function: { name, arguments: text } };
}

/** The reason as `finish_reason`, which has no word for `other`. */
function toOpenAiFinishReason(reason: FinishReason): Exclude<FinishReason, "other"> {
  return reason === "other" ? "stop" : reason;
}

/** The counts as `usage` of a completion. */
function toOpenAiUsage(usage: ModelUsage): JsonRecord {
  const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens, costUsd } = usage;
  return withoutUndefined({
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details:
      cachedInputTokens === undefined ? undefined : { cached_tokens: cachedInputTokens },
    completion_tokens_details:
      reasoningTokens === undefined ? undefined : { reasoning_tokens: reasoningTokens },
    cost: costUsd,
  });
}
