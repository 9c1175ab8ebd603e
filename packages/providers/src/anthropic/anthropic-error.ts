import type { LanguageModelErrorCode } from "@ccl/core";
import { type JsonRecord, recordAt, stringAt, withoutUndefined } from "@ccl/core/json";

import type { ReportedError } from "../http/reported-error.ts";

// The API reports an unknown parameter as its path followed by a fixed sentence.
const unknownParameter = /^([A-Za-z0-9_.]+): Extra inputs are not permitted$/;
const contextSentence = /^prompt is too long: \d+ tokens > \d+ maximum$/;
const formatParameters = new Set<string | undefined>([
  "output_config",
  "output_config.format",
  "output_format",
]);

const codeOfType: Record<string, LanguageModelErrorCode> = {
  authentication_error: "authentication",
  permission_error: "authentication",
  rate_limit_error: "rate_limited",
  timeout_error: "timeout",
  overloaded_error: "provider_error",
  api_error: "provider_error",
  invalid_request_error: "invalid_request",
  request_too_large: "invalid_request",
  not_found_error: "invalid_request",
};

/** Reads Anthropic's `{ type: "error", error: { type, message } }` from a body or a stream event. */
export function readAnthropicError(body: JsonRecord): ReportedError | undefined {
  const error = recordAt(body, "error");
  if (body["type"] !== "error" && Object.keys(error).length === 0) return undefined;
  const message = stringAt(error, "message") ?? "";
  return withoutUndefined({
    message,
    type: stringAt(error, "type"),
    parameter: unknownParameter.exec(message)?.[1],
  });
}

/** Returns the code for the error's type. Stream errors have no status. */
export function anthropicCodeOf(reported: ReportedError): LanguageModelErrorCode | undefined {
  const { status, type, parameter, message = "" } = reported;
  if (type === "invalid_request_error" && status === 400) {
    if (formatParameters.has(parameter)) return "unsupported_response_format";
    if (contextSentence.test(message)) return "context_length_exceeded";
  }
  return type === undefined ? undefined : codeOfType[type];
}
