import type { FinishReason, ModelDelta, ModelResponse, ModelUsage, ToolCall } from "@ccl/core";
import {
  arrayAt,
  isRecord,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

/** The answer of `doGenerate`. What the SDK warns of stands in `providerMetadata["ai-sdk"]`. */
export function toAiSdkResponse(result: unknown): ModelResponse {
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

interface Collected {
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  requestId: string | undefined;
  own: { warnings: unknown[]; content: unknown[] };
}

/** Puts the parts of one stream together. */
export interface AiSdkReader {
  push(part: unknown): ModelDelta[];
  /** Undefined when the stream ended before the answer did. */
  finish(): ModelResponse | undefined;
}

/** A reader for the parts of `doStream`, errors apart. */
export function createAiSdkReader(): AiSdkReader {
  const texts: string[] = [];
  const reasoning: string[] = [];
  const collected: Collected = {
    text: "",
    reasoning: "",
    toolCalls: [],
    requestId: undefined,
    own: { warnings: [], content: [] },
  };
  let last: JsonRecord | undefined;
  const handlers: Record<string, (part: JsonRecord) => ModelDelta[]> = {
    "text-delta": (part) => collect(texts, "text", part),
    "reasoning-delta": (part) => collect(reasoning, "reasoning", part),
    "tool-call"(part) {
      if (part["providerExecuted"] === true) return [];
      const toolCall = toToolCall(part);
      collected.toolCalls.push(toolCall);
      return [{ type: "tool_call", toolCall }];
    },
    "response-metadata"(part) {
      collected.requestId = stringAt(part, "id") ?? collected.requestId;
      return [];
    },
    "stream-start"(part) {
      collected.own.warnings = arrayAt(part, "warnings");
      return [];
    },
    finish(part) {
      last = part;
      return [];
    },
  };
  const kept = new Set(["reasoning-end", "file", "source", "tool-result"]);
  return {
    push(part) {
      const type = stringAt(part, "type") ?? "";
      if (
        kept.has(type) &&
        (type !== "reasoning-end" || Object.keys(recordAt(part, "providerMetadata")).length > 0)
      ) {
        collected.own.content.push(part);
      }
      return isRecord(part) ? (handlers[type]?.(part) ?? []) : [];
    },
    finish: () =>
      last === undefined
        ? undefined
        : responseOf(last, { ...collected, text: texts.join(""), reasoning: reasoning.join("") }),
  };
}

function collect(pieces: string[], type: "text" | "reasoning", part: JsonRecord): ModelDelta[] {
  const text = stringAt(part, "delta") ?? "";
  pieces.push(text);
  return text === "" ? [] : [{ type, text }];
}

function responseOf(
  finish: JsonRecord,
  { text, reasoning, toolCalls, requestId, own }: Collected,
): ModelResponse {
  const kept = withoutUndefined({
    warnings: own.warnings.length > 0 ? own.warnings : undefined,
    content: own.content.length > 0 ? own.content : undefined,
  });
  const metadata = {
    ...recordAt(finish, "providerMetadata"),
    ...(Object.keys(kept).length > 0 ? { "ai-sdk": kept } : {}),
  };
  return withoutUndefined({
    text,
    reasoning: reasoning === "" ? undefined : reasoning,
    toolCalls,
    finishReason: finishReasonOf(finish["finishReason"]),
    usage: usageOf(recordAt(finish, "usage")),
    requestId,
    providerMetadata: Object.keys(metadata).length > 0 ? metadata : undefined,
  });
}

function toToolCall(part: JsonRecord): ToolCall {
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

// A string in version 2, `{ unified, raw }` in version 3.
function finishReasonOf(reason: unknown): FinishReason {
  const name = typeof reason === "string" ? reason : (stringAt(reason, "unified") ?? "");
  return finishReasons[name] ?? "other";
}

// Numbers in version 2, objects with a total in version 3.
function usageOf(usage: JsonRecord): ModelUsage | undefined {
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
