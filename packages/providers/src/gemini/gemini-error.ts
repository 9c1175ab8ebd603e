import type { LanguageModelErrorCode } from "@ccl/core";
import {
  arrayAt,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import { isRefusal, type ReportedError } from "../http/reported-error.ts";

const blocked = "BLOCKED";
const contextSentence = /input token count.* exceeds the maximum number of tokens allowed/;
const formatFields = /response[_ ]?(?:mime[_ ]?type|(?:json[_ ]?)?schema)/i;

/** Google's `{ error: { code, message, status, details } }`, and a prompt that was blocked, which has no answer. */
export function readGeminiError(body: JsonRecord): ReportedError | undefined {
  const error = recordAt(body, "error");
  if (Object.keys(error).length === 0) {
    const code = stringAt(recordAt(body, "promptFeedback"), "blockReason");
    if (code === undefined || arrayAt(body, "candidates").length > 0) return undefined;
    return { type: blocked, code, message: `the prompt was blocked: ${code}` };
  }
  const delays = arrayAt(error, "details").map((detail) => stringAt(detail, "retryDelay"));
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delays.find(Boolean) ?? "")?.[1];
  return withoutUndefined({
    message: stringAt(error, "message") ?? "",
    status: numberAt(error, "code"),
    type: stringAt(error, "status"),
    retryAfterMs: seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000),
  });
}

/** Codes that the message gives beyond the status. */
export function geminiCodeOf(reported: ReportedError): LanguageModelErrorCode | undefined {
  const { status, type, message = "" } = reported;
  if (type === blocked) return "content_filtered";
  if (status !== 400) return undefined;
  if (/^API key (?:not valid|expired)/.test(message)) return "authentication";
  if (contextSentence.test(message)) return "context_length_exceeded";
  const isFormat = formatFields.test(message) && isRefusal(message);
  return isFormat ? "unsupported_response_format" : undefined;
}
