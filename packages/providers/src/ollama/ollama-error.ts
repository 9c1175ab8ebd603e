import type { LanguageModelErrorCode } from "@ccl/core";
import { type JsonRecord, stringAt } from "@ccl/core/json";

import { type ReportedError, refusesFormat } from "../http/reported-error.ts";

const contextSentence = /^the input length exceeds the context length$/;

/** Ollama's `{ error: message }`. */
export function readOllamaError(body: JsonRecord): ReportedError | undefined {
  const message = stringAt(body, "error");
  return message === undefined ? undefined : { message };
}

/** Codes that the message gives beyond the status. */
export function ollamaCodeOf({
  status,
  message = "",
}: ReportedError): LanguageModelErrorCode | undefined {
  if (status === 400 && refusesFormat(message)) return "unsupported_response_format";
  return status === 400 && contextSentence.test(message) ? "context_length_exceeded" : undefined;
}
