import { LanguageModelError, type ModelRequest, systemClock } from "@ccl/core";
import {
  isRecord,
  numberAt,
  parseJson,
  recordAt,
  stringAt,
  valueAt,
  withoutUndefined,
} from "@ccl/core/json";

import { anthropicCodeOf, readAnthropicError } from "../anthropic/anthropic-error.ts";
import { asksForFormat, codeOfError, type ReportedError, quoteOf } from "../http/reported-error.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import { openAiCodeOf, readOpenAiError } from "../openai-compatible/open-ai-error.ts";

/**
 * Converts an AI SDK error by the status and body of its API error. Does not keep it as the cause, since it holds the
 * request.
 */
export function toModelError(
  caught: unknown,
  provider: string,
  request?: ModelRequest,
): LanguageModelError | undefined {
  const status = numberAt(caught, "statusCode");
  if (status === undefined) return errorByName(caught, provider);
  const body = parseJson(stringAt(caught, "responseBody") ?? "");
  const record = isRecord(body) ? body : {};
  const anthropic = record["type"] === "error" ? readAnthropicError(record) : undefined;
  const read: ReportedError = anthropic ?? readOpenAiError(record) ?? {};
  const reported = { ...read, ...withoutUndefined({ status }) };
  const codeOf = anthropic === undefined ? openAiCodeOf : anthropicCodeOf;
  const code = codeOfError(reported, codeOf, request !== undefined && asksForFormat(request));
  const retryAfter = retryAfterMs(headersOf(caught), systemClock.now());
  const options = { status, ...withoutUndefined({ retryAfterMs: retryAfter }) };
  return new LanguageModelError(
    code,
    `${provider} answered ${status}${quoteOf(read.message, [])}`,
    options,
  );
}

function errorByName(caught: unknown, provider: string): LanguageModelError | undefined {
  const name = stringAt(caught, "name");
  if (name === "AI_APICallError") {
    const cause = valueAt(caught, ["cause"]);
    return new LanguageModelError("network_error", `The connection to ${provider} failed.`, {
      cause,
    });
  }
  if (name === "AI_LoadAPIKeyError")
    return new LanguageModelError("authentication", `${provider} has no API key.`);
  if (name !== "AI_UnsupportedFunctionalityError") return undefined;
  const what = stringAt(caught, "functionality") ?? "a part of the request";
  return new LanguageModelError(
    "invalid_request",
    `${provider} does not support ${what}; remove it.`,
  );
}

function headersOf(caught: unknown): Headers {
  const headers = new Headers();
  for (const name of ["retry-after", "retry-after-ms"]) {
    const value = stringAt(recordAt(caught, "responseHeaders"), name);
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}
