import { type JsonRecord, parseJson } from "@ccl/core/json";

import { type DialectFormat, type PlayedAnswer, piecesOf } from "./dialect-format.ts";
import { bearerOf } from "./openai-format.ts";
import type { TestError } from "./test-behaviour.ts";

/** Ollama's own API: newline-delimited JSON, errors as one string. */
export const ollamaFormat: DialectFormat = {
  chatPath: "/api/chat",
  embeddingsPath: "/api/embed",
  streamType: "application/x-ndjson",
  // Ollama streams unless asked otherwise.
  isStreaming: (body) => body["stream"] !== false,
  keyOf: (headers) => bearerOf(headers["authorization"]),
  objection: () => undefined,
  wantsJson: (body) => body["format"] !== undefined && body["format"] !== "",
  toWhole: (answer, body) => ({ ...rootOf(body), message: messageOf(answer), ...endOf(answer) }),
  toStream(answer, body) {
    const line = (message: JsonRecord): JsonRecord => ({ ...rootOf(body), message, done: false });
    const text = textOf(answer);
    const lines = [
      ...piecesOf(answer.reasoning).map((piece) =>
        line({ role: "assistant", content: "", thinking: piece }),
      ),
      ...piecesOf(text).map((piece) => line({ role: "assistant", content: piece })),
      ...answer.toolCalls.map((call) =>
        line({ role: "assistant", content: "", tool_calls: [toolCallOf(call)] }),
      ),
      { ...rootOf(body), message: { role: "assistant", content: "" }, ...endOf(answer) },
    ];
    return lines.map((value) => `${JSON.stringify(value)}\n`);
  },
  toError: (error) => ({ error: messageFor(error) }),
  toEmbeddings: (vectors, body) => ({
    model: body["model"],
    embeddings: vectors,
    total_duration: 1_000_000,
    load_duration: 0,
    prompt_eval_count: vectors.length,
  }),
};

function rootOf(body: JsonRecord): JsonRecord {
  return { model: body["model"], created_at: "2026-01-01T00:00:00Z" };
}

// A refusal has no form of its own here: it is text.
function textOf({ text, refusal }: PlayedAnswer): string {
  return text + refusal;
}

function messageOf(answer: PlayedAnswer): JsonRecord {
  const { reasoning, toolCalls } = answer;
  return {
    role: "assistant",
    content: textOf(answer),
    ...(reasoning === "" ? {} : { thinking: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toolCallOf) }),
  };
}

function toolCallOf({ id, name, arguments: text }: PlayedAnswer["toolCalls"][number]): JsonRecord {
  return { id, function: { name, arguments: parseJson(text) } };
}

function endOf({ finishReason, usage, extra }: PlayedAnswer): JsonRecord {
  return {
    done: true,
    done_reason: finishReason === "length" ? "length" : "stop",
    total_duration: 2_000_000,
    prompt_eval_count: usage.inputTokens,
    eval_count: usage.outputTokens,
    ...extra,
  };
}

function messageFor({ status, about, message }: TestError): string {
  if (message !== undefined) return message;
  if (about === "context_length") return "the input length exceeds the context length";
  return about === "response_format"
    ? "json: cannot unmarshal object into Go struct field ChatRequest.format of type string"
    : `The call failed with ${status}.`;
}
