import type { LanguageModelErrorCode } from "@ccl/core";
import { isRecord, type JsonRecord, recordAt, stringAt, withoutUndefined } from "@ccl/core/json";

import type { ReportedError } from "../http/reported-error.ts";
import { openAiCodeOf, readOpenAiError } from "../openai-compatible/open-ai-error.ts";

/** OpenAI's error bodies, the events `error` and `response.failed`, and a response that failed. */
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

/** As for chat completions; the format stands in `text.format` here. */
export function responsesCodeOf(reported: ReportedError): LanguageModelErrorCode | undefined {
  const parameter = reported.parameter?.replace(/^text\.format/, "response_format");
  return openAiCodeOf({ ...reported, parameter });
}
