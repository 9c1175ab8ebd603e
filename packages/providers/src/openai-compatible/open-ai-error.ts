import type { LanguageModelErrorCode } from "@ccl/core";
import { isRecord, type JsonRecord, stringAt, withoutUndefined } from "@ccl/core/json";

import { emptyAnswer, type ReportedError, refusesFormat } from "../http/reported-error.ts";
import { firstIn } from "../wire/wire-fields.ts";

// OpenAI also names response_format when it cannot use a schema. The caller has to fix that.
const schemaSentence = /^Invalid schema for response_format /;
const contextSentences: readonly RegExp[] = [
  // OpenAI and vLLM
  /^This model's maximum context length is \d+ tokens\./,
  // LM Studio
  /^The number of tokens to keep from the initial prompt is greater than the context length(?: \(|\.)/,
  // Ollama
  /^the input length exceeds the context length$/,
];

/**
 * Reads OpenAI's `{ error: { message, type, param, code } }`, LM Studio's `{ error: message }`, OpenRouter's choices
 * that contain either form, and `{ detail }` from FastAPI servers.
 */
export function readOpenAiError(body: JsonRecord): ReportedError | undefined {
  const choice = firstIn(body, "choices") ?? {};
  const given = body["object"] === "error" ? [body] : [body["error"], choice["error"]];
  // One-api and similar gateways include an empty error in successful answers.
  const error = given.find((one) => Object.values(one ?? {}).some(Boolean));
  if (typeof error === "string") return { message: error };
  if (!isRecord(error)) {
    if (choice["finish_reason"] === "error") return { message: "the answer ended in an error" };
    const { detail, message, choices } = body;
    const isBare = choices === undefined && (detail != null || typeof message === "string");
    return isBare ? emptyAnswer(body) : undefined;
  }
  const message = stringAt(error, "message") ?? "";
  const inSchema = schemaSentence.test(message) ? "response_format.json_schema.schema" : undefined;
  const { code } = error;
  return withoutUndefined({
    message,
    // OpenRouter and llama.cpp use the status as the code.
    status: typeof code === "number" && code >= 400 && code < 600 ? code : undefined,
    type: stringAt(error, "type"),
    code: stringAt(error, "code"),
    parameter: inSchema ?? stringAt(error, "param"),
  });
}

/** Returns the code that OpenAI's fields imply. Undefined if only the status matters. */
export function openAiCodeOf(reported: ReportedError): LanguageModelErrorCode | undefined {
  const { status, code, type, message = "" } = reported;
  if (code === "context_length_exceeded" || type === "exceed_context_size_error")
    return "context_length_exceeded";
  if (status === 400 && contextSentences.some((sentence) => sentence.test(message)))
    return "context_length_exceeded";
  if (code === "content_filter" || code === "content_policy_violation") return "content_filtered";
  if (code === "invalid_api_key") return "authentication";
  if (code === "rate_limit_exceeded" || code === "insufficient_quota") return "rate_limited";
  return isFormatRefusal(reported) ? "unsupported_response_format" : undefined;
}

const refusalCodes = new Set<string | undefined>([
  undefined,
  "unsupported_parameter",
  "unsupported_value",
  "invalid_value",
  "invalid_request_error",
]);

function isFormatRefusal({ status, code, type, parameter, message = "" }: ReportedError): boolean {
  if ((status !== 400 && status !== 422) || !refusalCodes.has(code)) return false;
  if (parameter === "response_format" || parameter === "response_format.type") return true;
  // Servers without such a field name the parameter in the message.
  return parameter === undefined && type !== "server_error" && refusesFormat(message);
}
