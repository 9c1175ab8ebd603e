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

import { argumentText, withCallIds } from "../call-ids.ts";
import { finishReasonOf } from "../finish-reason.ts";
import { entryOf, metadataOf, partsOf, tokenUsage, unlessEmpty } from "../wire-fields.ts";
import { callFields, fromResponsesItems } from "./from-responses-items.ts";
import { responses } from "./responses-format.ts";

/**
 * Converts a `/v1/responses` response. Keeps reasoning items in `providerMetadata["openai-responses"].reasoning`, so
 * that they can be sent back. For a complete history, use `fromResponsesItems(response.output)`.
 */
export function fromResponsesAnswer(response: JsonRecord): ModelResponse | undefined {
  if (!Array.isArray(response["output"])) return undefined;
  const output = response["output"].filter(isRecord).map(asCall);
  const messages = fromResponsesItems(output);
  const parts = messages.flatMap(partsOf);
  const textOf = (type: "text" | "reasoning"): string =>
    parts.map((part) => (part.type === type ? part.text : "")).join("");
  const others = parts.flatMap((part) => (part.type === "provider" ? [part.raw] : []));
  return withoutUndefined({
    text: textOf("text"),
    reasoning: textOf("reasoning") || undefined,
    toolCalls: withCallIds(messages.flatMap(({ toolCalls = [] }) => toolCalls)),
    finishReason: fromResponsesFinishReason(response),
    usage: fromResponsesUsage(response["usage"]),
    requestId: stringAt(response, "id"),
    providerMetadata: metadataOf(responses, {
      reasoning: unlessEmpty(output.filter(({ type }) => type === "reasoning")),
      content: unlessEmpty(others),
    }),
  });
}

/** Normalizes a call. Some servers omit the call id or the arguments, or send the arguments as an object. */
function asCall(item: JsonRecord): JsonRecord {
  const field = entryOf(callFields, item["type"]);
  if (field === undefined) return item;
  const id = stringAt(item, "call_id") ?? stringAt(item, "id") ?? "";
  const text = item[field] === "" && field === "input" ? "" : argumentText(item[field]);
  return { ...item, call_id: id, [field]: text };
}

/** Derives the finish reason from the response's status and output. */
function fromResponsesFinishReason(response: JsonRecord): FinishReason {
  const items = arrayAt(response, "output");
  if (response["status"] === "incomplete")
    return finishReasonOf(recordAt(response, "incomplete_details")["reason"]);
  if (response["status"] !== "completed") return "other";
  const types = new Set(items.map((item) => stringAt(item, "type")));
  if (types.has("function_call") || types.has("custom_tool_call")) return "tool_calls";
  const isRefused = items.some((item) =>
    arrayAt(item, "content").some((part) => stringAt(part, "type") === "refusal"),
  );
  return isRefused ? "content_filter" : "stop";
}

/** Converts the token counts of a response. Reasoning counts as output. */
export function fromResponsesUsage(usage: unknown): ModelUsage | undefined {
  return tokenUsage({
    inputTokens: numberAt(usage, "input_tokens"),
    outputTokens: numberAt(usage, "output_tokens"),
    reasoningTokens: numberAt(recordAt(usage, "output_tokens_details"), "reasoning_tokens"),
    cachedInputTokens: numberAt(recordAt(usage, "input_tokens_details"), "cached_tokens"),
  });
}
