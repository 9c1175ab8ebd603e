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

import type { AiSdkVersion } from "./file-forms.ts";

/** The answer of `doGenerate`. What the SDK warns of stands in `providerMetadata["ai-sdk"]`. */
export function fromAiSdkAnswer(result: unknown): ModelResponse {
  const content = arrayAt(result, "content").filter(isRecord);
  const textsOf = (type: string): string =>
    content
      .filter((part) => part["type"] === type)
      .map((part) => stringAt(part, "text") ?? "")
      .join("");
  const known = new Set<unknown>(["text", "reasoning", "tool-call"]);
  const finish = isRecord(result) ? result : {};
  const signed = content.filter(
    (part) => part["type"] === "reasoning" && part["providerMetadata"] !== undefined,
  );
  const calls = content.filter((part) => part["type"] === "tool-call");
  return responseOf(finish, {
    text: textsOf("text"),
    reasoning: textsOf("reasoning"),
    toolCalls: calls.filter((call) => call["providerExecuted"] !== true).map(toToolCall),
    requestId: stringAt(recordAt(result, "response"), "id"),
    own: {
      warnings: arrayAt(result, "warnings"),
      content: [...signed, ...content.filter(({ type }) => !known.has(type))],
    },
  });
}

/** What a reader has collected of an answer. */
export interface Collected {
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  requestId: string | undefined;
  own: { warnings: unknown[]; content: unknown[] };
}

/** The answer, from its end and what came before it. */
export function responseOf(
  finish: JsonRecord,
  { text, reasoning, toolCalls, requestId, own }: Collected,
): ModelResponse {
  const kept = withoutUndefined({
    warnings: own.warnings.length > 0 ? own.warnings : undefined,
    content: own.content.length > 0 ? own.content : undefined,
  });
  const metadata = { ...recordAt(finish, "providerMetadata") };
  if (Object.keys(kept).length > 0) metadata["ai-sdk"] = kept;
  return withoutUndefined({
    text,
    reasoning: reasoning === "" ? undefined : reasoning,
    toolCalls,
    finishReason: fromAiSdkFinishReason(finish["finishReason"]),
    usage: fromAiSdkUsage(finish["usage"]),
    requestId,
    providerMetadata: Object.keys(metadata).length > 0 ? metadata : undefined,
  });
}

/** A part of type `tool-call`. */
export function toToolCall(part: JsonRecord): ToolCall {
  const { input } = part;
  return {
    id: stringAt(part, "toolCallId") ?? "",
    name: stringAt(part, "toolName") ?? "",
    arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}),
  };
}

const finishReasons: Record<string, FinishReason> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

/** Why the model stopped: a string in version 2, `{ unified, raw }` from version 3 on. */
function fromAiSdkFinishReason(reason: unknown): FinishReason {
  const name = typeof reason === "string" ? reason : (stringAt(reason, "unified") ?? "");
  return finishReasons[name] ?? "other";
}

/** Token counts: numbers in version 2, objects with a total from version 3 on. */
export function fromAiSdkUsage(usage: unknown): ModelUsage | undefined {
  const input = recordAt(usage, "inputTokens");
  const inputTokens = numberAt(usage, "inputTokens") ?? numberAt(input, "total");
  const output = recordAt(usage, "outputTokens");
  const outputTokens = numberAt(usage, "outputTokens") ?? numberAt(output, "total");
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return withoutUndefined({
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    reasoningTokens: numberAt(usage, "reasoningTokens") ?? numberAt(output, "reasoning"),
    cachedInputTokens: numberAt(usage, "cachedInputTokens") ?? numberAt(input, "cacheRead"),
    cacheWriteTokens: numberAt(input, "cacheWrite"),
  });
}

/** The reason in the form of a version. */
export function toAiSdkFinishReason(reason: FinishReason, version: AiSdkVersion): unknown {
  const unified = reason.replace("_", "-");
  return version === "v2" ? unified : { unified, raw: undefined };
}

/** The counts in the form of a version. */
function toAiSdkUsage(usage: ModelUsage, version: AiSdkVersion): JsonRecord {
  const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens, cacheWriteTokens } = usage;
  if (version === "v2")
    return {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      reasoningTokens,
      cachedInputTokens,
    };
  const noCache = inputTokens - (cachedInputTokens ?? 0) - (cacheWriteTokens ?? 0);
  const text = outputTokens - (reasoningTokens ?? 0);
  return {
    inputTokens: {
      total: inputTokens,
      noCache,
      cacheRead: cachedInputTokens,
      cacheWrite: cacheWriteTokens,
    },
    outputTokens: { total: outputTokens, text, reasoning: reasoningTokens },
  };
}

/** The answer as what `doGenerate` of a model of this version gives. */
export function toAiSdkAnswer(
  { text, reasoning, toolCalls, finishReason, usage, requestId }: ModelResponse,
  { version }: { version: AiSdkVersion },
): JsonRecord {
  const said = { reasoning: reasoning ?? "", text };
  return withoutUndefined({
    content: [
      ...Object.entries(said).flatMap(([type, words]) =>
        words === "" ? [] : [{ type, text: words }],
      ),
      ...toolCalls.map((call) => ({
        type: "tool-call",
        toolCallId: call.id,
        toolName: call.name,
        input: call.arguments,
      })),
    ],
    finishReason: toAiSdkFinishReason(finishReason, version),
    usage: toAiSdkUsage(usage ?? { inputTokens: 0, outputTokens: 0 }, version),
    warnings: [],
    response: requestId === undefined ? undefined : { id: requestId },
  });
}
