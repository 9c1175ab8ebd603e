import { type LanguageModelErrorCode, type ModelRequest, redactSecrets } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";

/** The fields of a provider's error body. */
export interface ReportedError {
  /** HTTP status, or the status in the body. */
  status?: number | undefined;
  type?: string | undefined;
  code?: string | undefined;
  /** The parameter that the provider rejects, as a path, for example `response_format.type`. */
  parameter?: string | undefined;
  /** The provider's message, unchanged. */
  message?: string | undefined;
  /** The wait that the body asks for, used if no header gives one. */
  retryAfterMs?: number | undefined;
}

/** The error for a body that has neither an answer nor a known error, for example `{ "detail": "Not Found" }`. */
export function emptyAnswer(body: JsonRecord): ReportedError {
  const { detail = body["message"] ?? body } = body;
  const words = typeof detail === "string" ? detail : JSON.stringify(detail);
  return { message: `no answer in ${words}` };
}

/** True if a request asks for a format that a provider could reject. */
export function asksForFormat({ responseFormat }: ModelRequest): boolean {
  return responseFormat !== undefined && responseFormat.type !== "text";
}

const refusals =
  /unsupported|unavailable|unrecognized|deprecated|unknown (?:parameter|field|argument|name)|cannot unmarshal|(?:not|n't|cannot)(?: be)?(?: both)?(?: be)? (?:support|allow|permit|available|implement|specif|valid)|must be ['"]?[a-z_]+['"]?(?: or |$)|must be one of|only the default|invalid format:|may only be set/i;

/** True if a message says that something is unsupported, not that its value is wrong. */
export function isRefusal(message: string): boolean {
  return refusals.test(message);
}

const formats =
  /response_?format|json_schema|json_object|output_config\.format|structured outputs?|guided_json|ChatRequest\.format|expected "json"/i;
const otherCauses =
  /quota|billing|upgrade|\bplan\b|\bkey\b|expired|unknown model|model[^.]* not (?:found|exist)|response_format\.json_schema|schema for response_format|messages:/i;

/**
 * True if a message rejects the format itself. A wrong guess costs one more call, which then fails with the true cause.
 */
export function refusesFormat(message: string): boolean {
  return formats.test(message) && isRefusal(message) && !otherCauses.test(message);
}

/**
 * The code of a reported error by its fields, else by its status. A request without a format cannot get its refusal.
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

/** The code for a status if nothing more is known. */
function codeOfStatus(status: number | undefined): LanguageModelErrorCode {
  if (status === undefined) return "provider_error";
  if (status === 401 || status === 403) return "authentication";
  if (status === 408) return "timeout";
  if (status === 429) return "rate_limited";
  return status >= 400 && status < 500 ? "invalid_request" : "provider_error";
}

const longestQuote = 400;
// Shorter strings are not secrets, and masking them would garble the text.
const shortestSecret = 6;

/** The provider's message for an error message: without secrets, and truncated with a marker. */
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
