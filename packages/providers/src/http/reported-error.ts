import { type LanguageModelErrorCode, type ModelRequest, redactSecrets } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";

/** The fields of a provider's error body. */
export interface ReportedError {
  /** The HTTP status, or the status given in the body. */
  status?: number | undefined;
  type?: string | undefined;
  code?: string | undefined;
  /** Path of the parameter that the provider rejects, for example `response_format.type`. */
  parameter?: string | undefined;
  /** The provider's message, unchanged. */
  message?: string | undefined;
  /** The delay that the body requests. Used if no header specifies one. */
  retryAfterMs?: number | undefined;
}

/** Creates the error for a body with neither an answer nor a known error, for example `{ "detail": "Not Found" }`. */
export function emptyAnswer(body: JsonRecord): ReportedError {
  const { detail = body["message"] ?? body } = body;
  const words = typeof detail === "string" ? detail : JSON.stringify(detail);
  return { message: `no answer in ${words}` };
}

/** Returns true if the request sets a format that a provider could reject. */
export function asksForFormat({ responseFormat }: ModelRequest): boolean {
  return responseFormat !== undefined && responseFormat.type !== "text";
}

const refusals =
  /unsupported|unavailable|unrecognized|deprecated|unknown (?:parameter|field|argument|name)|cannot unmarshal|(?:not|n't|cannot)(?: be)?(?: both)?(?: be)? (?:support|allow|permit|available|implement|specif|valid)|must be ['"]?[a-z_]+['"]?(?: or |$)|must be one of|only the default|invalid format:|may only be set/i;

/** Returns true if the message says that something is unsupported. A wrong value does not count. */
export function isRefusal(message: string): boolean {
  return refusals.test(message);
}

const formats =
  /response_?format|json_schema|json_object|output_config\.format|structured outputs?|guided_json|ChatRequest\.format|expected "json"/i;
const otherCauses =
  /quota|billing|upgrade|\bplan\b|\bkey\b|expired|unknown model|model[^.]* not (?:found|exist)|response_format\.json_schema|schema for response_format|messages:/i;

/**
 * Returns true if the message rejects the format itself. A wrong guess costs one extra call, which then fails with the
 * real cause.
 */
export function refusesFormat(message: string): boolean {
  return formats.test(message) && isRefusal(message) && !otherCauses.test(message);
}

/**
 * Returns the code for a reported error's fields, else for its status. A request without a format never has its format
 * rejected.
 */
export function codeOfError(
  reported: ReportedError,
  codeOf: (reported: ReportedError) => LanguageModelErrorCode | undefined,
  isFormatAsked: boolean,
): LanguageModelErrorCode {
  const code = codeOf(reported);
  const isPossible = code !== "unsupported_response_format" || isFormatAsked;
  return (isPossible ? code : undefined) ?? codeOfStatus(reported.status);
}

/** Returns the code for a status when nothing else is known. */
function codeOfStatus(status: number | undefined): LanguageModelErrorCode {
  if (status === undefined) return "provider_error";
  if (status === 401 || status === 403) return "authentication";
  if (status === 408) return "timeout";
  if (status === 429) return "rate_limited";
  return status >= 400 && status < 500 ? "invalid_request" : "provider_error";
}

const longestQuote = 400;
// Shorter strings are not secrets. Masking them would garble the text.
const shortestSecret = 6;

/** Prepares the provider's message for an error message: masks secrets, and truncates it with a marker. */
export function quoteOf(message: string | undefined, secrets: readonly string[]): string {
  if (message === undefined || message === "") return "";
  const bare = secrets
    .filter(({ length }) => length >= shortestSecret)
    .reduce((text, secret) => text.replaceAll(secret, "[redacted:api_key]"), message);
  const { text } = redactSecrets(bare);
  const quote =
    text.length <= longestQuote
      ? text
      : `${text.slice(0, longestQuote)}...[TRUNCATED ${text.length - longestQuote} chars]...`;
  return `: ${quote}`;
}
