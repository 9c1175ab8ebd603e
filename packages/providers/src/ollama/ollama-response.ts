import type { FinishReason, ModelDelta, ModelResponse, ModelUsage, ToolCall } from "@ccl/core";
import {
  arrayAt,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import type { StreamReader } from "../http/create-wire-model.ts";
import { metadataOf, without } from "../json/json-record.ts";
import { ollama } from "./ollama-request.ts";

/** A whole answer of `/api/chat`. */
export function toOllamaResponse(body: JsonRecord): ModelResponse {
  const message = recordAt(body, "message");
  const toolCalls = toolCallsOf(message, 0);
  return responseOf(body, {
    text: stringAt(message, "content") ?? "",
    reasoning: stringAt(message, "thinking") ?? "",
    toolCalls,
    message: unknownInMessage(message),
  });
}

/** Puts the lines of one streamed answer together. Tool calls come whole, in the line that has them. */
export function createOllamaReader(): StreamReader {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const toolCalls: ToolCall[] = [];
  const extra: JsonRecord = {};
  let last: JsonRecord | undefined;
  return {
    push(line) {
      const message = recordAt(line, "message");
      const text = stringAt(message, "content") ?? "";
      const thought = stringAt(message, "thinking") ?? "";
      const calls = toolCallsOf(message, toolCalls.length);
      texts.push(text);
      thoughts.push(thought);
      toolCalls.push(...calls);
      Object.assign(extra, unknownInMessage(message));
      if (line["done"] === true) last = line;
      const deltas: ModelDelta[] = calls.map((toolCall) => ({ type: "tool_call", toolCall }));
      if (text !== "") deltas.unshift({ type: "text", text });
      if (thought !== "") deltas.unshift({ type: "reasoning", text: thought });
      return deltas;
    },
    isEnded: () => last !== undefined,
    finish() {
      if (last === undefined) return undefined;
      const answer = {
        text: texts.join(""),
        reasoning: thoughts.join(""),
        toolCalls,
        message: extra,
      };
      return { deltas: [], response: responseOf(last, answer) };
    },
  };
}

interface Answer {
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  message: JsonRecord;
}

function responseOf(
  body: JsonRecord,
  { text, reasoning, toolCalls, message }: Answer,
): ModelResponse {
  const known = ["message", "done", "done_reason", "prompt_eval_count", "eval_count"];
  return withoutUndefined({
    text,
    reasoning: reasoning === "" ? undefined : reasoning,
    toolCalls,
    finishReason: finishReasonOf(stringAt(body, "done_reason"), toolCalls.length),
    usage: usageOf(body),
    providerMetadata: metadataOf(ollama, { ...without(body, ...known), message }),
  });
}

function unknownInMessage(message: JsonRecord): JsonRecord {
  return without(message, "role", "content", "thinking", "tool_calls");
}

// Servers before 0.12 give no ids; the place in the answer stands in for one.
function toolCallsOf(message: JsonRecord, before: number): ToolCall[] {
  return arrayAt(message, "tool_calls").map((call, index) => {
    const given = recordAt(call, "function");
    return {
      id: stringAt(call, "id") ?? `call_${before + index}`,
      name: stringAt(given, "name") ?? "",
      arguments: JSON.stringify(given["arguments"] ?? {}),
    };
  });
}

function finishReasonOf(reason: string | undefined, calls: number): FinishReason {
  if (reason === "length") return "length";
  if (calls > 0) return "tool_calls";
  // Servers before 0.1.35 give no reason.
  return reason === "stop" || reason === undefined ? "stop" : "other";
}

function usageOf(body: JsonRecord): ModelUsage | undefined {
  const inputTokens = numberAt(body, "prompt_eval_count");
  const outputTokens = numberAt(body, "eval_count");
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
}
