import { type LanguageModelErrorCode, type ModelRequest, redactSecrets } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";

/** What a provider said about a call that it refused, in the fields that its error bodies have. */
export interface ReportedError {
  /** HTTP status, or the status that the body itself gives. */
  status?: number | undefined;
  type?: string | undefined;
  code?: string | undefined;
  /** The parameter that the provider objects to, as a path such as `response_format.type`. */
  parameter?: string | undefined;
  /** The provider's own words. */
  message?: string | undefined;
  /** The wait that the body asks for, where no header does. */
  retryAfterMs?: number | undefined;
}

/** What a body says that has neither an answer nor an error of a known form, such as `{ "detail": "Not Found" }`. */
export function emptyAnswer(body: JsonRecord): ReportedError {
  const { detail = body["message"] ?? body } = body;
  const words = typeof detail === "string" ? detail : JSON.stringify(detail);
  return { message: `no answer in ${words}` };
}

/** Whether a request asks for a format that a provider could refuse. */
export function asksForFormat({ responseFormat }: ModelRequest): boolean {
  return responseFormat !== undefined && responseFormat.type !== "text";
}

const refusals =
  /unsupported|unavailable|unrecognized|deprecated|unknown (?:parameter|field|argument|name)|cannot unmarshal|(?:not|n't|cannot)(?: be)?(?: both)?(?: be)? (?:support|allow|permit|available|implement|specif|valid)|must be ['"]?[a-z_]+['"]?(?: or |$)|must be one of|only the default|invalid format:|may only be set/i;

/** Whether words say that something is not supported, rather than that its value is wrong. */
export function isRefusal(message: string): boolean {
  return refusals.test(message);
}

const formats =
  /response_?format|json_schema|json_object|output_config\.format|structured outputs?|guided_json|ChatRequest\.format|expected "json"/i;
const otherCauses =
  /quota|billing|upgrade|\bplan\b|\bkey\b|expired|unknown model|model[^.]* not (?:found|exist)|response_format\.json_schema|schema for response_format|messages:/i;

/** Whether words refuse the format itself. A wrong guess costs one more call, which then fails for the true cause. */
export function refusesFormat(message: string): boolean {
  return formats.test(message) && isRefusal(message) && !otherCauses.test(message);
}

/** The code of a reported error: by its fields, else by its status. A format that was not asked for was not refused. */
export function codeOfError(
  reported: ReportedError,
  codeOf: (reported: ReportedError) => LanguageModelErrorCode | undefined,
  isFormatAsked: boolean,
): LanguageModelErrorCode {
  const code = codeOf(reported);
  const isPossible = code !== "unsupported_response_format" || isFormatAsked;
  return (isPossible ? code : undefined) ?? codeOfStatus(reported.status);
}

/** The code that a status stands for, where nothing more is known. */
function codeOfStatus(status: number | undefined): LanguageModelErrorCode {
  if (status === undefined) return "provider_error";
  if (status === 401 || status === 403) return "authentication";
  if (status === 408) return "timeout";
  if (status === 429) return "rate_limited";
  return status >= 400 && status < 500 ? "invalid_request" : "provider_error";
}

const longestQuote = 400;
// What is shorter is no secret, and masking it would garble the words.
const shortestSecret = 6;

/** The provider's words for an error message: without secrets, and cut with a mark. */
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
