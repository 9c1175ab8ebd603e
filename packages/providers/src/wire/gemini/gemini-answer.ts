import type { ModelResponse, ModelUsage, ToolCall } from "@ccl/core";
import {
  arrayAt,
  isRecord,
  type JsonRecord,
  numberAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import { answeredCall, withCallIds } from "../call-ids.ts";
import { finishReasonOf } from "../finish-reason.ts";
import {
  firstIn,
  metadataOf,
  tokenUsage,
  unlessEmpty,
  withMetadata,
  without,
} from "../wire-fields.ts";
import { gemini } from "./to-gemini-contents.ts";

/**
 * Converts the first candidate of a `generateContent` answer. Returns undefined if there is none. Keeps the thought
 * signatures of the calls and the answer in `providerMetadata.gemini`, so that they can be sent back.
 */
export function fromGeminiAnswer(body: JsonRecord): ModelResponse | undefined {
  const candidate = firstIn(body, "candidates");
  if (candidate === undefined) return undefined;
  const parts = partsIn(candidate);
  const requestId = stringAt(body, "responseId");
  const toolCalls = withCallIds(parts.filter(isCall).map(toToolCall), requestId);
  const others = parts.filter((part) => !isCall(part) && part["text"] === undefined);
  const signed = parts.findLast((part) => !isCall(part) && part["thoughtSignature"] !== undefined);
  return withoutUndefined({
    text: textIn(parts, "text"),
    reasoning: textIn(parts, "reasoning") || undefined,
    toolCalls,
    finishReason: finishReasonOf(candidate["finishReason"], toolCalls.length),
    usage: usageOf(body["usageMetadata"]),
    requestId,
    providerMetadata: metadataOf(gemini, {
      ...without(body, "candidates", "usageMetadata", "responseId"),
      candidate: without(candidate, "content", "finishReason", "index"),
      thoughtSignature: signed?.["thoughtSignature"],
      content: unlessEmpty(others),
    }),
  });
}

/** Returns the parts of a candidate. */
export function partsIn(candidate: JsonRecord): JsonRecord[] {
  return arrayAt(candidate["content"], "parts").filter(isRecord);
}

/** Returns the text of the parts, or the model's reasoning. */
export function textIn(parts: readonly JsonRecord[], type: "text" | "reasoning"): string {
  return parts
    .filter(({ thought }) => (thought === true) === (type === "reasoning"))
    .map((part) => stringAt(part, "text") ?? "")
    .join("");
}

function isCall({ functionCall }: JsonRecord): boolean {
  return isRecord(functionCall);
}

function toToolCall({ functionCall, thoughtSignature }: JsonRecord): ToolCall {
  const { id, name, args } = isRecord(functionCall) ? functionCall : {};
  return withMetadata(answeredCall(id, name, args), metadataOf(gemini, { thoughtSignature }));
}

/** Adds up token counts. The API counts thoughts apart from output, and its tools' input apart from the prompt. */
function usageOf(usage: unknown): ModelUsage | undefined {
  const count = (name: string): number | undefined => numberAt(usage, `${name}TokenCount`);
  const prompt = count("prompt");
  const said = count("candidates");
  const reasoningTokens = count("thoughts");
  if (prompt === undefined && said === undefined) return undefined;
  return tokenUsage({
    inputTokens: (prompt ?? 0) + (count("toolUsePrompt") ?? 0),
    outputTokens: (said ?? 0) + (reasoningTokens ?? 0),
    reasoningTokens,
    cachedInputTokens: count("cachedContent"),
  });
}
