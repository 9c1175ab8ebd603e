import type { ModelDelta, ModelResponse } from "@ccl/core";
import { arrayAt, isRecord, type JsonRecord, recordAt, stringAt } from "@ccl/core/json";

import { type Collected, responseOf, toToolCall } from "../wire/ai-sdk/ai-sdk-answer.ts";

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
