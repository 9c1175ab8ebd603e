import type { LanguageModelErrorCode } from "@ccl/core";

import type { ProviderFault } from "../http/provider-fault.ts";
import { defined, type JsonRecord, stringAt } from "../json/json-record.ts";

// Ollama answers { error: message } alone. These are whole messages; the first is of a server before 0.5, which has no schemas.
const unmarshalSentence =
  /^json: cannot unmarshal [a-z]+ into Go struct field ChatRequest\.([a-z_.]+) of type [A-Za-z_.]+$/;
const formatSentence = /^invalid format: expected "json" or a JSON schema$/;
const contextSentence = /^the input length exceeds the context length$/;

/** Ollama's `{ error: message }`. */
export function readOllamaFault(body: JsonRecord): ProviderFault | undefined {
  const message = stringAt(body, "error");
  if (message === undefined) return undefined;
  const parameter =
    unmarshalSentence.exec(message)?.[1] ?? (formatSentence.test(message) ? "format" : undefined);
  return defined({ message, parameter });
}

/** Codes that the message gives beyond the status. */
export function ollamaCodeOf({
  status,
  parameter,
  message = "",
}: ProviderFault): LanguageModelErrorCode | undefined {
  if (status === 400 && parameter === "format") return "unsupported_response_format";
  return status === 400 && contextSentence.test(message) ? "context_length_exceeded" : undefined;
}
