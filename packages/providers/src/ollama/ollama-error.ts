import type { LanguageModelErrorCode } from "@ccl/core";
import { type JsonRecord, stringAt, withoutUndefined } from "@ccl/core/json";

import type { ReportedError } from "../http/reported-error.ts";

// Ollama answers { error: message } alone. These are whole messages; the first is of a server before 0.5, which has no schemas.
const unmarshalSentence =
  /^json: cannot unmarshal [a-z]+ into Go struct field ChatRequest\.([a-z_.]+) of type [A-Za-z_.]+$/;
const formatSentence = /^invalid format: expected "json" or a JSON schema$/;
const contextSentence = /^the input length exceeds the context length$/;

/** Ollama's `{ error: message }`. */
export function readOllamaError(body: JsonRecord): ReportedError | undefined {
  const message = stringAt(body, "error");
  if (message === undefined) return undefined;
  const parameter =
    unmarshalSentence.exec(message)?.[1] ?? (formatSentence.test(message) ? "format" : undefined);
  return withoutUndefined({ message, parameter });
}

/** Codes that the message gives beyond the status. */
export function ollamaCodeOf({
  status,
  parameter,
  message = "",
}: ReportedError): LanguageModelErrorCode | undefined {
  if (status === 400 && parameter === "format") return "unsupported_response_format";
  return status === 400 && contextSentence.test(message) ? "context_length_exceeded" : undefined;
}
