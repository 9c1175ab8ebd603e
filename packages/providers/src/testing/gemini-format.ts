import { type JsonRecord, parseJson, recordAt } from "@ccl/core/json";

import { type DialectFormat, type PlayedAnswer, piecesOf } from "./dialect-format.ts";
import type { TestError } from "./test-behaviour.ts";

/** Gemini's `generateContent` and `streamGenerateContent`, which name the model in the path. */
export const geminiFormat: DialectFormat = {
  chatPath: /^\/v1beta\/models\/[^/:]+:(?:generateContent|streamGenerateContent)$/,
  required: ["contents"],
  streamType: "text/event-stream",
  isStreaming: (_body, path) => path.endsWith(":streamGenerateContent"),
  keyOf: (headers) => headers["x-goog-api-key"],
  objection: () => undefined,
  wantsJson: (body) =>
    recordAt(body, "generationConfig")["responseMimeType"] === "application/json",
  toWhole: (answer) => chunkOf(answer, partsOf(answer), true),
  toStream: (answer) => chunksOf(answer).map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`),
  toError: (error) => ({
    error: {
      code: error.status,
      message: messageFor(error),
      status: statuses[error.status] ?? "INTERNAL",
    },
  }),
};

function chunkOf(
  { finishReason, refusal, usage, extra }: PlayedAnswer,
  parts: JsonRecord[],
  isLast: boolean,
): JsonRecord {
  const reason = refusal === "" ? finishReason : "content_filter";
  return {
    candidates: [
      {
        content: { parts, role: "model" },
        index: 0,
        ...(isLast ? { finishReason: finishReasons[reason] } : {}),
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.inputTokens,
      candidatesTokenCount: usage.outputTokens,
      totalTokenCount: usage.inputTokens + usage.outputTokens,
      cachedContentTokenCount: usage.cachedInputTokens,
    },
    modelVersion: "gemini-test",
    responseId: "resp_test",
    ...extra,
  };
}

const finishReasons: Record<PlayedAnswer["finishReason"], string> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  tool_calls: "STOP",
  content_filter: "SAFETY",
};

const signature = "c2lnbmF0dXJl";

function partsOf(answer: PlayedAnswer): JsonRecord[] {
  const text = answer.text + answer.refusal;
  return [
    ...(answer.reasoning === "" ? [] : [{ text: answer.reasoning, thought: true }]),
    ...(text === "" ? [] : [{ text }]),
    ...callsOf(answer),
  ];
}

// The first of parallel calls carries the signature.
function callsOf({ toolCalls }: PlayedAnswer): JsonRecord[] {
  return toolCalls.map(({ id, name, arguments: given }, index) => ({
    functionCall: { id, name, args: parseJson(given) },
    ...(index === 0 ? { thoughtSignature: signature } : {}),
  }));
}

function chunksOf(answer: PlayedAnswer): JsonRecord[] {
  const parts = [
    ...piecesOf(answer.reasoning).map((text) => ({ text, thought: true })),
    ...piecesOf(answer.text + answer.refusal).map((text) => ({ text })),
    ...callsOf(answer),
  ];
  return [
    ...parts.map((part) => chunkOf(answer, [part], false)),
    chunkOf(answer, [{ text: "" }], true),
  ];
}

const statuses: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function messageFor({ status, about, message }: TestError): string {
  if (message !== undefined) return message;
  if (about === "context_length")
    return "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
  if (about === "response_format")
    return "Invalid JSON payload received. Unknown name \"responseJsonSchema\" at 'generation_config': Cannot find field.";
  return `The call failed with ${status}.`;
}
