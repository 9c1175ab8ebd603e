import type { FinishReason, ModelResponse, ModelUsage } from "@ccl/core";
import {
  arrayAt,
  isRecord,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import { entryOf, partsOf } from "../wire-fields.ts";
import { fromResponsesItems } from "./from-responses-items.ts";
import { responses } from "./responses-format.ts";

/**
 * A whole response of `/v1/responses`. Its reasoning items stand in `providerMetadata["openai-responses"].reasoning`, to be
 * sent back; all items, for a faithful history, give `fromResponsesItems(response.output)`.
 */
export function fromResponsesAnswer(response: JsonRecord): ModelResponse {
  const output = arrayAt(response, "output").filter(isRecord);
  const messages = fromResponsesItems(output);
  const parts = messages.flatMap(partsOf);
  const textOf = (type: "text" | "reasoning"): string =>
    parts.map((part) => (part.type === type ? part.text : "")).join("");
  const reasoning = output.filter(({ type }) => type === "reasoning");
  const others = parts.flatMap((part) => (part.type === "provider" ? [part.raw] : []));
  const metadata = withoutUndefined({
    reasoning: reasoning.length > 0 ? reasoning : undefined,
    content: others.length > 0 ? others : undefined,
  });
  return withoutUndefined({
    text: textOf("text"),
    reasoning: textOf("reasoning") || undefined,
    toolCalls: messages.flatMap(({ toolCalls = [] }) => toolCalls),
    finishReason: fromResponsesFinishReason(response),
    usage: fromResponsesUsage(response["usage"]),
    requestId: stringAt(response, "id"),
    providerMetadata: Object.keys(metadata).length > 0 ? { [responses]: metadata } : undefined,
  });
}

const incomplete: Record<string, FinishReason | undefined> = {
  max_output_tokens: "length",
  content_filter: "content_filter",
};

/** Why the model stopped, from a response's status and what it put out. */
function fromResponsesFinishReason(response: JsonRecord): FinishReason {
  const items = arrayAt(response, "output");
  if (response["status"] === "incomplete") {
    const { reason } = recordAt(response, "incomplete_details");
    return entryOf(incomplete, reason) ?? "other";
  }
  if (response["status"] !== "completed") return "other";
  const types = new Set(items.map((item) => stringAt(item, "type")));
  if (types.has("function_call") || types.has("custom_tool_call")) return "tool_calls";
  const isRefused = items.some((item) =>
    arrayAt(item, "content").some((part) => stringAt(part, "type") === "refusal"),
  );
  return isRefused ? "content_filter" : "stop";
}

/** Tokens of a response's `usage`; reasoning counts as output. */
export function fromResponsesUsage(usage: unknown): ModelUsage | undefined {
  const inputTokens = numberAt(usage, "input_tokens");
  const outputTokens = numberAt(usage, "output_tokens");
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return withoutUndefined({
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    reasoningTokens: numberAt(recordAt(usage, "output_tokens_details"), "reasoning_tokens"),
    cachedInputTokens: numberAt(recordAt(usage, "input_tokens_details"), "cached_tokens"),
  });
}

/** The counts as `usage` of a response. */
function toResponsesUsage(usage: ModelUsage): JsonRecord {
  const { inputTokens, outputTokens, reasoningTokens = 0, cachedInputTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

/** The reason as `status` and `incomplete_details`. */
function toResponsesFinishReason(reason: FinishReason): {
  status: "completed" | "incomplete";
  incomplete_details: { reason: "max_output_tokens" | "content_filter" } | null;
} {
  if (reason !== "length" && reason !== "content_filter")
    return { status: "completed", incomplete_details: null };
  const cause = reason === "length" ? "max_output_tokens" : reason;
  return { status: "incomplete", incomplete_details: { reason: cause } };
}

/** The answer as a response of `/v1/responses`. `createdAt` is in seconds since the epoch; ids of items derive from the response's. */
export function toResponsesAnswer(
  response: ModelResponse,
  { model, createdAt = 0 }: { model: string; createdAt?: number | undefined },
): JsonRecord {
  const { text, reasoning, toolCalls, usage, providerMetadata } = response;
  const id = response.requestId ?? "";
  const own = arrayAt(recordAt(providerMetadata, responses), "reasoning");
  const summary = [{ type: "summary_text", text: reasoning }];
  const content = [{ type: "output_text", text, annotations: [] }];
  return {
    id,
    object: "response",
    created_at: createdAt,
    model,
    ...toResponsesFinishReason(response.finishReason),
    error: null,
    output: [
      ...(own.length > 0 || reasoning === undefined
        ? own
        : [{ type: "reasoning", id: `rs_${id}`, summary }]),
      ...(text === ""
        ? []
        : [{ type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content }]),
      ...toolCalls.map((call) => ({
        type: "function_call",
        id: `fc_${call.id}`,
        call_id: call.id,
        name: call.name,
        arguments: call.arguments,
        status: "completed",
      })),
    ],
    usage: usage === undefined ? null : toResponsesUsage(usage),
  };
}
