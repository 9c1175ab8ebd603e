import type {
  LanguageModelErrorCode,
  ModelCapabilities,
  ModelRequest,
  ResponseFormat,
  StreamingModel,
} from "@ccl/core";
import {
  arrayAt,
  isRecord,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";
import { type BodyOptions, createWireModel, type StreamReader } from "../http/create-wire-model.ts";
import type { EndpointOptions } from "../http/endpoint.ts";
import type { ReportedError } from "../http/reported-error.ts";
import { samplingFields } from "../http/sampling-fields.ts";
import type { TextDelta } from "../http/whole-deltas.ts";
import { openAiCodeOf, readOpenAiError } from "../openai-compatible/open-ai-error.ts";
import { openAiService } from "../openai-compatible/open-ai-service.ts";
import { askedTools } from "../wire/asked-tools.ts";
import { toResponsesInput } from "../wire/openai-responses/index.ts";
import { fromResponsesAnswer } from "../wire/openai-responses/responses-answer.ts";

/** The address of the model. */
export interface OpenAiResponsesOptions extends EndpointOptions {
  /** Ends in `/v1`. Default: OpenAI's. */
  baseUrl?: string | undefined;
  model: string;
  /** Name in traces and errors. Default: `openai-responses`. */
  provider?: string | undefined;
  capabilities?: ModelCapabilities | undefined;
}

/**
 * Creates a model for OpenAI's `/v1/responses`. Each call sends the whole conversation, and OpenAI does not store it.
 * Encrypted reasoning is kept in `providerMetadata["openai-responses"].reasoning` and sent back with its message.
 * Keys are found as in `createOpenAiCompatibleModel`.
 * @throws LanguageModelError `invalid_request` if the address is not usable.
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

// Other models reject a request for encrypted reasoning.
const reasoningModels = /(?:^|\/)(?:o[134](?:-|$)|gpt-5(?!-chat)|codex)/;

/** Builds the body of a call of `/v1/responses`. */
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
    stream: isStreaming ? true : undefined,
    ...request.providerOptions,
  });
}

function textOf(format: ResponseFormat | undefined): JsonRecord | undefined {
  if (format === undefined || format.type === "text") return undefined;
  return { format: withoutUndefined({ ...format }) };
}

const pieceTypes: Record<string, TextDelta["type"] | undefined> = {
  "response.output_text.delta": "text",
  "response.refusal.delta": "text",
  "response.reasoning_summary_text.delta": "reasoning",
  "response.reasoning_text.delta": "reasoning",
};
const ends = new Set(["response.completed", "response.incomplete", "response.done"]);

/** Events with a call's arguments, and the field of the item that holds them. */
const inputFields: Record<string, "arguments" | "input" | undefined> = {
  "response.function_call_arguments.delta": "arguments",
  "response.function_call_arguments.done": "arguments",
  "response.custom_tool_call_input.delta": "input",
  "response.custom_tool_call_input.done": "input",
};

/**
 * Assembles the events of one response. The last event repeats the items, but some servers leave out all of them or the
 * arguments of calls. Others do not finish each item, or give two calls the same index.
 */
function createResponsesReader(): StreamReader {
  const items = new Map<string, { index: number; item: JsonRecord }>();
  let last: JsonRecord | undefined;
  return {
    push(event) {
      const type = stringAt(event, "type") ?? "";
      const item = recordAt(event, "item");
      const id = stringAt(item, "call_id");
      const index = numberAt(event, "output_index") ?? items.size;
      if (ends.has(type)) last = recordAt(event, "response");
      // A call is kept from its start on, since the event that finishes it may be missing.
      if (type === "response.output_item.done" || id !== undefined) {
        const key = id ?? `item ${index}`;
        items.set(key, { index: items.get(key)?.index ?? index, item });
      }
      const text = stringAt(event, "delta") ?? "";
      const field = inputFields[type];
      const call = [...items.values()].findLast((one) => one.index === index)?.item;
      if (field !== undefined && call !== undefined)
        call[field] = stringAt(event, field) ?? `${stringAt(call, field) ?? ""}${text}`;
      const pieceType = pieceTypes[type];
      return pieceType === undefined ? [] : [{ type: pieceType, text }];
    },
    isEnded: () => last !== undefined,
    toBody() {
      if (last === undefined) return undefined;
      const repeated = arrayAt(last, "output")
        .filter(isRecord)
        .map((item) =>
          item["arguments"] === ""
            ? { ...item, ...items.get(stringAt(item, "call_id") ?? "")?.item }
            : item,
        );
      const inOrder = [...items.values()].sort((left, right) => left.index - right.index);
      const output = repeated.length > 0 ? repeated : inOrder.map(({ item }) => item);
      return { ...last, output };
    },
  };
}

/** Reads OpenAI's error bodies, the events `error` and `response.failed`, and failed responses. */
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

/** As for chat completions, except that the format is `text.format`. */
function responsesCodeOf(reported: ReportedError): LanguageModelErrorCode | undefined {
  const parameter = reported.parameter?.replace(/^text\.format/, "response_format");
  return openAiCodeOf({ ...reported, parameter });
}
