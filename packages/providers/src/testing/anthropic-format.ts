import { type JsonRecord, numberAt, parseJson, recordAt } from "@ccl/core/json";

import { type DialectFormat, type PlayedAnswer, piecesOf } from "./dialect-format.ts";
import { bearerOf } from "./openai-format.ts";
import type { TestError } from "./test-behaviour.ts";

/** Anthropic's messages API. */
export const anthropicFormat: DialectFormat = {
  chatPath: "/v1/messages",
  required: ["model", "messages"],
  requestIdHeader: "request-id",
  streamType: "text/event-stream",
  isStreaming: (body) => body["stream"] === true,
  keyOf: (headers) => headers["x-api-key"] ?? bearerOf(headers["authorization"]),
  objection(body, headers) {
    const refuse = (message: string): TestError => ({ type: "error", status: 400, message });
    if (headers["anthropic-version"] === undefined)
      return refuse("anthropic-version: header is required");
    if (numberAt(body, "max_tokens") === undefined) return refuse("max_tokens: Field required");
    return body["response_format"] === undefined
      ? undefined
      : refuse("response_format: Extra inputs are not permitted");
  },
  wantsJson: (body) => recordAt(body, "output_config")["format"] !== undefined,
  toWhole: (answer, body) => ({
    ...rootOf(answer, body),
    content: blocksOf(answer).map(({ block }) => block),
    stop_reason: stopReasonOf(answer),
    usage: usageOf(answer),
  }),
  toStream: streamOf,
  toError: (error) => ({
    type: "error",
    error: { type: types[error.status] ?? "api_error", message: messageFor(error) },
    request_id: "req_test",
  }),
};

function rootOf({ extra }: PlayedAnswer, body: JsonRecord): JsonRecord {
  const root = { id: "msg_test", type: "message", role: "assistant", model: body["model"] };
  return { ...root, content: [], stop_reason: null, stop_sequence: null, ...extra };
}

function usageOf({ usage }: PlayedAnswer): JsonRecord {
  return {
    input_tokens: usage.inputTokens - usage.cachedInputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    service_tier: "standard",
  };
}

interface PlayedBlock {
  block: JsonRecord;
  /** The block as a stream begins it. */
  start: JsonRecord;
  deltas: JsonRecord[];
}

function blocksOf({ reasoning, text, refusal, toolCalls }: PlayedAnswer): PlayedBlock[] {
  const signature = "c2lnbmF0dXJl";
  const thinking: PlayedBlock = {
    block: { type: "thinking", thinking: reasoning, signature },
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...piecesOf(reasoning).map((piece) => ({ type: "thinking_delta", thinking: piece })),
      { type: "signature_delta", signature },
    ],
  };
  const said: PlayedBlock = {
    block: { type: "text", text: text + refusal, citations: null },
    start: { type: "text", text: "", citations: null },
    deltas: piecesOf(text + refusal).map((piece) => ({ type: "text_delta", text: piece })),
  };
  const calls = toolCalls.map(({ id, name, arguments: given }): PlayedBlock => ({
    block: { type: "tool_use", id, name, input: parseJson(given) },
    start: { type: "tool_use", id, name, input: {} },
    deltas: ["", ...piecesOf(given)].map((piece) => ({
      type: "input_json_delta",
      partial_json: piece,
    })),
  }));
  return [
    ...(reasoning === "" ? [] : [thinking]),
    ...(text + refusal === "" ? [] : [said]),
    ...calls,
  ];
}

function streamOf(answer: PlayedAnswer, body: JsonRecord): string[] {
  const usage = usageOf(answer);
  const blocks = blocksOf(answer).flatMap(({ start, deltas }, index): JsonRecord[] => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  const delta = { stop_reason: stopReasonOf(answer), stop_sequence: null };
  const events: JsonRecord[] = [
    {
      type: "message_start",
      message: { ...rootOf(answer, body), usage: { ...usage, output_tokens: 1 } },
    },
    { type: "ping" },
    ...blocks,
    { type: "message_delta", delta, usage: { output_tokens: answer.usage.outputTokens } },
    { type: "message_stop" },
  ];
  return events.map(
    (event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`,
  );
}

const stopReasons: Record<PlayedAnswer["finishReason"], string> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

function stopReasonOf({ finishReason, refusal }: PlayedAnswer): string {
  return refusal === "" ? stopReasons[finishReason] : "refusal";
}

const types: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function messageFor({ status, about, message }: TestError): string {
  if (message !== undefined) return message;
  if (about === "context_length") return "prompt is too long: 210000 tokens > 200000 maximum";
  if (about === "response_format") return "output_config.format: Extra inputs are not permitted";
  return `The call failed with ${status}.`;
}
