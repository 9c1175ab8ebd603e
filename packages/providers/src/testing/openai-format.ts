import { type JsonRecord, recordAt, stringAt } from "@ccl/core/json";

import { type DialectFormat, type PlayedAnswer, piecesOf } from "./dialect-format.ts";
import type { TestError } from "./test-behaviour.ts";

const id = "chatcmpl-test";

/** OpenAI's chat completions and embeddings, and two local servers with other response formats. */
export function openAiFormat(kind: "openai" | "lm-studio" | "ignores-format"): DialectFormat {
  const formatOf = (body: JsonRecord): string | undefined =>
    stringAt(recordAt(body, "response_format"), "type");
  return {
    chatPath: "/v1/chat/completions",
    required: ["model", "messages"],
    embeddingsPath: "/v1/embeddings",
    requestIdHeader: "x-request-id",
    streamType: "text/event-stream",
    isStreaming: (body) => body["stream"] === true,
    keyOf: (headers) => bearerOf(headers["authorization"]),
    objection(body) {
      if (kind === "lm-studio" && formatOf(body) === "json_object") {
        return { type: "error", status: 400, about: "response_format" };
      }
      return undefined;
    },
    wantsJson: (body) => kind !== "ignores-format" && (formatOf(body) ?? "text") !== "text",
    toWhole: wholeOf,
    toStream: streamOf,
    toError: (error) =>
      kind === "lm-studio" ? { error: lmStudioMessage(error) } : { error: errorOf(error) },
    toEmbeddings: embeddingsOf,
  };
}

/** The token of a header `Bearer <token>`. */
export function bearerOf(header: unknown): string | undefined {
  return typeof header === "string" && header.startsWith("Bearer ") ? header.slice(7) : undefined;
}

function usageOf({ usage }: PlayedAnswer): JsonRecord {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens, audio_tokens: 0 },
  };
}

function wholeOf(answer: PlayedAnswer, body: JsonRecord): JsonRecord {
  const { text, reasoning, refusal, toolCalls } = answer;
  const message = {
    role: "assistant",
    content: text === "" && (toolCalls.length > 0 || refusal !== "") ? null : text,
    refusal: refusal === "" ? null : refusal,
    reasoning_content: reasoning === "" ? undefined : reasoning,
    tool_calls: toolCalls.length === 0 ? undefined : toolCalls.map((call) => toolCallOf(call)),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: answer.finishReason };
  const root = { id, object: "chat.completion", created: 1_700_000_000, model: body["model"] };
  return { ...root, choices: [choice], usage: usageOf(answer), ...answer.extra };
}

function toolCallOf({ id, name, arguments: text }: PlayedAnswer["toolCalls"][number]): JsonRecord {
  return { id, type: "function", function: { name, arguments: text } };
}

function streamOf(answer: PlayedAnswer, body: JsonRecord): string[] {
  const root = {
    id,
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: body["model"],
    ...answer.extra,
  };
  const chunk = (delta: JsonRecord, reason: string | null = null): JsonRecord => ({
    ...root,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  });
  const calls = answer.toolCalls.flatMap((call, index) => [
    chunk({ tool_calls: [{ index, ...toolCallOf({ ...call, arguments: "" }) }] }),
    ...piecesOf(call.arguments).map((piece) =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ]);
  const hasUsage = recordAt(body, "stream_options")["include_usage"] === true;
  const chunks = [
    chunk({ role: "assistant", content: "", refusal: null }),
    ...piecesOf(answer.reasoning).map((piece) => chunk({ reasoning_content: piece })),
    ...piecesOf(answer.text).map((piece) => chunk({ content: piece })),
    ...piecesOf(answer.refusal).map((piece) => chunk({ refusal: piece })),
    ...calls,
    chunk({}, answer.finishReason),
    ...(hasUsage ? [{ ...root, choices: [], usage: usageOf(answer) }] : []),
  ];
  return [...chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`), "data: [DONE]\n\n"];
}

const messages: Record<string, string> = {
  context_length:
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  response_format:
    "Invalid parameter: 'response_format' of type 'json_object' is not supported with this model.",
  schema:
    "Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to be false.",
  content_filter:
    "The response was filtered due to the prompt triggering the content management policy.",
};
const parameters: Record<string, string> = {
  context_length: "messages",
  response_format: "response_format",
  schema: "response_format",
  content_filter: "prompt",
};
const codes: Record<string, string> = {
  context_length: "context_length_exceeded",
  content_filter: "content_filter",
};
const types: Record<number, string> = {
  400: "invalid_request_error",
  401: "invalid_request_error",
  429: "requests",
};
const codesOfStatus: Record<number, string> = {
  401: "invalid_api_key",
  429: "rate_limit_exceeded",
};

function errorOf({ status, about, message }: TestError): JsonRecord {
  const topic = about ?? "";
  return {
    message: message ?? messages[topic] ?? `The call failed with ${status}.`,
    type: types[status] ?? "server_error",
    param: parameters[topic] ?? (status === 400 ? "temperature" : null),
    code: codes[topic] ?? codesOfStatus[status] ?? null,
  };
}

function lmStudioMessage({ status, about, message }: TestError): string {
  if (message !== undefined) return message;
  if (about === "context_length") {
    const counts = "(n_keep: 9000>= n_ctx: 8192)";
    return `The number of tokens to keep from the initial prompt is greater than the context length ${counts}.`;
  }
  return about === "response_format"
    ? "'response_format.type' must be 'json_schema' or 'text'"
    : `The call failed with ${status}.`;
}

function embeddingsOf(vectors: number[][], body: JsonRecord): JsonRecord {
  const isBase64 = body["encoding_format"] === "base64";
  return {
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: isBase64
        ? Buffer.from(new Float32Array(vector).buffer).toString("base64")
        : vector,
    })),
    model: body["model"],
    usage: { prompt_tokens: vectors.length, total_tokens: vectors.length },
  };
}
