import type { LanguageModelErrorCode } from "@ccl/core";
import { isRecord, type JsonRecord, numberAt, stringAt, withoutUndefined } from "@ccl/core/json";

import type { ReportedError } from "../http/reported-error.ts";

// Servers that have no field for the parameter put it at one place of one message. Each row is that whole message, so that
// one which merely talks of a parameter names none, and is looked for only in the body that its server sends.
/** LM Studio: the error is the message, and has no fields. */
const bareMessages: readonly RegExp[] = [/^'([a-z_.]+)' must be '[a-z_]+'(?: or '[a-z_]+')*$/];
const messages: readonly RegExp[] = [
  // OpenAI, for a model without the format
  /^Invalid parameter: '([a-z_.]+)' of type '[a-z_]+' is not supported with this model\.(?: Learn more about supported models at the Structured Outputs guide: https:\/\/[\w./-]+)?$/,
  // DeepSeek
  /^This ([a-z_]+) type is unavailable now$/,
  /^Failed to deserialize the JSON body into the target type: [a-z_]+: ([a-z_.]+) `[a-z_]+` is unavailable now at line \d+ column \d+$/,
  // llama.cpp
  /^([a-z_]+) type must be one of "text" or "json_object", but got: [a-z_]+$/,
];
// OpenAI gives the parameter response_format for a schema that it can't take, too; that is the caller's to fix.
const schemaSentence = /^Invalid schema for response_format /;
const contextSentences: readonly RegExp[] = [
  // OpenAI and vLLM
  /^This model's maximum context length is \d+ tokens\./,
  // LM Studio
  /^The number of tokens to keep from the initial prompt is greater than the context length(?: \(|\.)/,
];

/** OpenAI's `{ error: { message, type, param, code } }`, and LM Studio's `{ error: message }`. */
export function readOpenAiError(body: JsonRecord): ReportedError | undefined {
  const { error } = body;
  if (typeof error === "string")
    return withoutUndefined({ message: error, parameter: parameterIn(error, bareMessages) });
  if (!isRecord(error)) return vllmError(body);
  const message = stringAt(error, "message") ?? "";
  const inSchema = schemaSentence.test(message) ? "response_format.json_schema.schema" : undefined;
  const status = statusIn(error["code"]);
  return withoutUndefined({
    message,
    status,
    type: stringAt(error, "type"),
    code: stringAt(error, "code"),
    parameter:
      inSchema ??
      stringAt(error, "param") ??
      (isPlain(error) ? parameterIn(message, messages) : undefined),
  });
}

function vllmError(body: JsonRecord): ReportedError | undefined {
  if (body["object"] !== "error") return undefined;
  const message = stringAt(body, "message") ?? "";
  const parameter = stringAt(body, "param");
  return withoutUndefined({
    message,
    status: numberAt(body, "code"),
    type: stringAt(body, "type"),
    parameter,
  });
}

/** Codes that OpenAI's fields give beyond the status. */
export function openAiCodeOf(reported: ReportedError): LanguageModelErrorCode | undefined {
  const { status, code, type, parameter, message = "" } = reported;
  if (code === "context_length_exceeded" || type === "exceed_context_size_error")
    return "context_length_exceeded";
  if (status === 400 && contextSentences.some((sentence) => sentence.test(message)))
    return "context_length_exceeded";
  if (code === "content_filter" || code === "content_policy_violation") return "content_filtered";
  if (code === "invalid_api_key") return "authentication";
  if (code === "rate_limit_exceeded" || code === "insufficient_quota") return "rate_limited";
  return isFormatRefusal({ status, code, parameter }) ? "unsupported_response_format" : undefined;
}

const refusalCodes = new Set<string | undefined>([
  undefined,
  "unsupported_parameter",
  "unsupported_value",
  "invalid_value",
  "invalid_request_error",
]);

function isFormatRefusal({
  status,
  code,
  parameter,
}: { [Key in "status" | "code" | "parameter"]: unknown }): boolean {
  if (status !== 400 && status !== 422) return false;
  if (parameter !== "response_format" && parameter !== "response_format.type") return false;
  return refusalCodes.has(typeof code === "string" ? code : undefined);
}

/** An error whose fields say no more than that the request is invalid, which is all that these servers say in them. */
function isPlain(error: JsonRecord): boolean {
  const isInvalidRequest = (value: unknown): boolean =>
    value === undefined || value === null || value === "invalid_request_error";
  return (
    isInvalidRequest(error["type"]) && (isInvalidRequest(error["code"]) || error["code"] === 400)
  );
}

function parameterIn(text: string, wholeMessages: readonly RegExp[]): string | undefined {
  for (const whole of wholeMessages) {
    const parameter = whole.exec(text)?.[1];
    if (parameter !== undefined) return parameter;
  }
  return undefined;
}

// OpenRouter and llama.cpp give the status as the code.
function statusIn(code: unknown): number | undefined {
  return typeof code === "number" && code >= 400 && code < 600 ? code : undefined;
}
