import type {
  LanguageModelErrorCode,
  ModelCapabilities,
  ModelRequest,
  ResponseFormat,
  StreamingModel,
} from "@ccl/core";
import { isRecord, type JsonRecord, recordAt, stringAt, withoutUndefined } from "@ccl/core/json";
import { type BodyOptions, createWireModel } from "../http/create-wire-model.ts";
import type { EndpointOptions } from "../http/endpoint.ts";
import type { ReportedError } from "../http/reported-error.ts";
import { samplingFields } from "../http/sampling-fields.ts";
import { openAiCodeOf, readOpenAiError } from "../openai-compatible/open-ai-error.ts";
import { openAiService } from "../openai-compatible/open-ai-service.ts";
import { askedTools } from "../wire/asked-tools.ts";
import { toResponsesInput } from "../wire/openai-responses/index.ts";
import { fromResponsesAnswer } from "../wire/openai-responses/responses-answer.ts";
import { createResponsesReader } from "./responses-stream.ts";

/** Options of `createOpenAiResponsesModel`. */
export interface OpenAiResponsesOptions extends EndpointOptions {
  /** Base URL, which ends in `/v1`. Default: OpenAI's. */
  baseUrl?: string | undefined;
  model: string;
  /** Name in traces and errors. Default: `openai-responses`. */
  provider?: string | undefined;
  capabilities?: ModelCapabilities | undefined;
}

/**
 * Creates a model for OpenAI's `/v1/responses`. Each call sends the whole conversation, and OpenAI does not store it.
 * Keeps encrypted reasoning in `providerMetadata["openai-responses"].reasoning` and sends it back with its message.
 * Finds keys as `createOpenAiCompatibleModel` does.
 * @throws LanguageModelError `invalid_request` if the URL is invalid
 */
export function createOpenAiResponsesModel(options: OpenAiResponsesOptions): StreamingModel {
  const { model, capabilities } = options;
  return createWireModel(
    {
      ...openAiService({ ...options, provider: options.provider ?? "openai-responses" }),
      readError: readResponsesError,
      codeOf: responsesCodeOf,
    },
    {
      path: "/responses",
      absent: ["top_k", "frequency_penalty", "presence_penalty", "seed", "stop"],
      toBody: (request, call) => toResponsesBody(request, model, call),
      toResponse: fromResponsesAnswer,
      createReader: createResponsesReader,
    },
    { modelId: model, capabilities: { tools: true, promptCache: "automatic", ...capabilities } },
  );
}

// All other models reject requests for encrypted reasoning.
const reasoningModels = /(?:^|\/)(?:o[134](?:-|$)|gpt-5(?!-chat)|codex)/;

/** Builds the body of a `/v1/responses` call. */
function toResponsesBody(
  request: ModelRequest,
  model: string,
  { isStreaming, report }: BodyOptions,
): JsonRecord {
  const { tools, toolChoice } = askedTools(request);
  return withoutUndefined({
    model,
    ...toResponsesInput(request.messages, { report }),
    tools: tools?.map(({ name, description, inputSchema: parameters }) => ({
      type: "function",
      name,
      description,
      parameters,
      strict: false,
    })),
    tool_choice:
      typeof toolChoice === "object" ? { type: "function", name: toolChoice.name } : toolChoice,
    text: textOf(request.responseFormat),
    ...samplingFields(request),
    max_output_tokens: request.maxOutputTokens,
    store: false,
    include: reasoningModels.test(model) ? ["reasoning.encrypted_content"] : undefined,
    stream: isStreaming || undefined,
    ...request.providerOptions,
  });
}

function textOf(format: ResponseFormat | undefined): JsonRecord | undefined {
  if (format === undefined || format.type === "text") return undefined;
  return { format: withoutUndefined({ ...format }) };
}

/** Reads OpenAI's error bodies, `error` and `response.failed` events, and failed responses. */
function readResponsesError(body: JsonRecord): ReportedError | undefined {
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

/** Like the code for chat completions, but the format is in `text.format`. */
function responsesCodeOf(reported: ReportedError): LanguageModelErrorCode | undefined {
  const parameter = reported.parameter?.replace(/^text\.format/, "response_format");
  return openAiCodeOf({ ...reported, parameter });
}
