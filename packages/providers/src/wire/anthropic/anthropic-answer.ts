import type { ModelResponse, ModelUsage } from "@ccl/core";
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
import { metadataOf, tokenUsage, unlessEmpty, without } from "../wire-fields.ts";

/**
 * Converts a `/v1/messages` answer. Keeps thinking blocks in `providerMetadata.anthropic.reasoning`, so that they can
 * be sent back.
 */
export function fromAnthropicAnswer(message: JsonRecord): ModelResponse | undefined {
  if (!Array.isArray(message["content"])) return undefined;
  const blocks = arrayAt(message, "content").filter(isRecord);
  const ofType = (type: string): JsonRecord[] => blocks.filter((block) => block["type"] === type);
  const reasoning = blocks.filter(
    ({ type }) => type === "thinking" || type === "redacted_thinking",
  );
  const known = new Set<unknown>(["text", "tool_use", "thinking", "redacted_thinking"]);
  const others = blocks.filter(({ type }) => !known.has(type));
  const usage = recordAt(message, "usage");
  const requestId = stringAt(message, "id");
  const thoughts = ofType("thinking").map((block) => stringAt(block, "thinking") ?? "");
  const calls = ofType("tool_use").map(({ id, name, input }) => answeredCall(id, name, input));
  const toolCalls = withCallIds(calls, requestId);
  return withoutUndefined({
    text: ofType("text")
      .map((block) => stringAt(block, "text") ?? "")
      .join(""),
    reasoning: thoughts.join("") || undefined,
    toolCalls,
    finishReason: finishReasonOf(message["stop_reason"], toolCalls.length),
    usage: fromAnthropicUsage(usage),
    requestId,
    providerMetadata: metadataOf("anthropic", {
      ...without(message, "id", "type", "role", "content", "stop_reason", "usage"),
      usage: without(usage, ...countedFields),
      reasoning: unlessEmpty(reasoning),
      content: unlessEmpty(others),
      citations: unlessEmpty(ofType("text").flatMap((block) => arrayAt(block, "citations"))),
    }),
  });
}

const countedFields = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
];

/** Converts token counts. The API excludes cached input from `input_tokens`, but core counts all input. */
export function fromAnthropicUsage(usage: unknown): ModelUsage | undefined {
  const input = numberAt(usage, "input_tokens");
  const output = numberAt(usage, "output_tokens");
  if (input === undefined && output === undefined) return undefined;
  const cachedInputTokens = numberAt(usage, "cache_read_input_tokens");
  const cacheWriteTokens = numberAt(usage, "cache_creation_input_tokens");
  return tokenUsage({
    inputTokens: (input ?? 0) + (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: output,
    cachedInputTokens,
    cacheWriteTokens,
  });
}
