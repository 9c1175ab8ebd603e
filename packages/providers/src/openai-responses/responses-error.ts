import type { LanguageModelErrorCode } from "@ccl/core";
import { isRecord, type JsonRecord, recordAt, stringAt, withoutUndefined } from "@ccl/core/json";

import type { ReportedError } from "../http/reported-error.ts";
import { openAiCodeOf, readOpenAiError } from "../openai-compatible/open-ai-error.ts";

/** Reads OpenAI's error bodies, the events `error` and `response.failed`, and failed responses. */
export function readResponsesError(body: JsonRecord): ReportedError | undefined {
  const { type } = body;
  if (type === "error" && !isRecord(body["error"])) return reportedIn(body);
  const response = type === "response.failed" ? recordAt(body, "response") : body;
  return response["status"] === "failed"
    ? reportedIn(recordAt(response, "error"))
    : readOpenAiError(body);
}

function reportedIn(error: JsonRecord): ReportedError {
  const code = stringAt(error, "code");
  return withoutUndefined({
    message: stringAt(error, "message") ?? "",
    type: code,
    code,
    parameter: stringAt(error, "param"),
  });
}

/** As for chat completions, except that the format is `text.format`. */
export function responsesCodeOf(reported: ReportedError): LanguageModelErrorCode | undefined {
  const parameter = reported.parameter?.replace(/^text\.format/, "response_format");
  return openAiCodeOf({ ...reported, parameter });
}
