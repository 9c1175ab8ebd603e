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
import { metadataOf, tokenUsage, unlessEmpty } from "../wire-fields.ts";

/** Converts the result of `doGenerate`. Keeps SDK warnings in `providerMetadata["ai-sdk"]`. */
export function fromAiSdkAnswer(result: JsonRecord): ModelResponse {
  const content = arrayAt(result, "content").filter(isRecord);
  const textOf = (wanted: string): string =>
    content.map(({ type, text }) => (type === wanted ? String(text ?? "") : "")).join("");
  const { finishReason: reason } = result;
  const requestId = stringAt(recordAt(result, "response"), "id");
  const calls = content.filter(
    ({ type, providerExecuted }) => type === "tool-call" && providerExecuted !== true,
  );
  const own = content.filter(
    ({ type, providerMetadata }) =>
      !known.has(type) || (type === "reasoning" && providerMetadata !== undefined),
  );
  const metadata = {
    ...recordAt(result, "providerMetadata"),
    ...metadataOf("ai-sdk", {
      warnings: unlessEmpty(arrayAt(result, "warnings")),
      content: unlessEmpty(own),
    }),
  };
  return withoutUndefined({
    text: textOf("text"),
    reasoning: textOf("reasoning") || undefined,
    toolCalls: withCallIds(
      calls.map(({ toolCallId, toolName, input }) => answeredCall(toolCallId, toolName, input)),
      requestId,
    ),
    // A string in version 2, `{ unified, raw }` from version 3 on.
    finishReason: finishReasonOf(stringAt(reason, "unified") ?? reason),
    usage: fromAiSdkUsage(result["usage"]),
    requestId,
    providerMetadata: unlessEmpty(metadata),
  });
}

const known = new Set<unknown>(["text", "reasoning", "tool-call"]);

/** Converts token counts: numbers in version 2, objects with a total from version 3 on. */
export function fromAiSdkUsage(usage: unknown): ModelUsage | undefined {
  const input = recordAt(usage, "inputTokens");
  const output = recordAt(usage, "outputTokens");
  return tokenUsage({
    inputTokens: numberAt(usage, "inputTokens") ?? numberAt(input, "total"),
    outputTokens: numberAt(usage, "outputTokens") ?? numberAt(output, "total"),
    reasoningTokens: numberAt(usage, "reasoningTokens") ?? numberAt(output, "reasoning"),
    cachedInputTokens: numberAt(usage, "cachedInputTokens") ?? numberAt(input, "cacheRead"),
    cacheWriteTokens: numberAt(input, "cacheWrite"),
  });
}
