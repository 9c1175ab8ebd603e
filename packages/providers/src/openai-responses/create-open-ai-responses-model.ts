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
import { callFields } from "../wire/openai-responses/from-responses-items.ts";
import { toResponsesInput } from "../wire/openai-responses/index.ts";
import { fromResponsesAnswer } from "../wire/openai-responses/responses-answer.ts";
import { entryOf } from "../wire/wire-fields.ts";

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

const ends = new Set(["response.completed", "response.incomplete", "response.done"]);
const stepOf = /^response\.(\w+)\.(added|delta|done)$/;
/** The field that the pieces of each kind complete, in a part of a message or in a call. */
const pieceFields: Record<string, string | undefined> = {
  output_text: "text",
  refusal: "refusal",
  reasoning_summary_text: "reasoning",
  reasoning_text: "reasoning",
  function_call_arguments: "arguments",
  custom_tool_call_input: "input",
};

const isMessage = ({ type }: JsonRecord): boolean => type === "message";
const isCall = ({ type }: JsonRecord): boolean => entryOf(callFields, type) !== undefined;
const isSame = (left: JsonRecord, right: JsonRecord): boolean =>
  left["type"] === right["type"] && left["call_id"] === right["call_id"];

/** A text with its next piece, or as a whole. Some servers finish it with an empty text. */
function grown(before: string, text: string, isWhole: boolean): string {
  return isWhole ? text || before : before + text;
}

/**
 * Assembles the events of one response. The last event repeats the items, but some servers leave out some of them, or the
 * arguments of calls. Others do not finish each item, give two calls the same index, or send a text only as a whole.
 */
function createResponsesReader(): StreamReader {
  const items: { index: number; item: JsonRecord }[] = [];
  let last: JsonRecord | undefined;

  const begin = (event: JsonRecord, item: JsonRecord): JsonRecord => {
    items.push({ index: numberAt(event, "output_index") ?? items.length, item });
    return item;
  };
  /** The item that an event names by id or index. Without an index, the last one. */
  const find = (
    event: JsonRecord,
    isWanted: (item: JsonRecord) => boolean,
  ): JsonRecord | undefined => {
    const id = stringAt(event, "item_id") ?? stringAt(event, "call_id");
    const index = numberAt(event, "output_index");
    const wanted = items.filter(({ item }) => isWanted(item));
    const named = wanted.findLast(
      ({ item }) => id !== undefined && (item["id"] === id || item["call_id"] === id),
    );
    const placed = wanted.findLast((one) => index === undefined || one.index === index);
    return (named ?? placed)?.item;
  };
  /** Adds a piece to a part of a message, or completes the part. Returns the new text. */
  const say = (event: JsonRecord, given: JsonRecord, isWhole: boolean): TextDelta => {
    const field = "refusal" in given ? "refusal" : "text";
    const message = find(event, isMessage) ?? begin(event, { type: "message", role: "assistant" });
    const parts = [...arrayAt(message, "content")];
    const at = numberAt(event, "content_index") ?? 0;
    const before = stringAt(parts[at], field) ?? "";
    const piece = stringAt(given, field) ?? "";
    const text = grown(before, piece, isWhole);
    parts[at] = { type: field === "text" ? "output_text" : field, ...given, [field]: text };
    message["content"] = parts;
    return { type: "text", text: text.startsWith(before) ? text.slice(before.length) : "" };
  };
  /** Adds what an item says to what its pieces said. */
  const join = (event: JsonRecord, item: JsonRecord): TextDelta[] => {
    const { id, type, content, ...fields } = item;
    const known =
      fields["call_id"] === undefined
        ? find({ ...event, item_id: id }, (one) => one["type"] === type)
        : items.find((one) => isSame(one.item, item))?.item;
    const joined = known ?? begin(event, { type });
    const input = entryOf(callFields, type);
    if (input !== undefined) fields[input] ||= joined[input];
    Object.assign(joined, { id, ...fields }, isMessage(item) ? {} : { content });
    const parts = isMessage(item) && Array.isArray(content) ? content.filter(isRecord) : [];
    return parts.map((part, at) => say({ ...event, item_id: id, content_index: at }, part, true));
  };
  return {
    push(event) {
      const type = stringAt(event, "type") ?? "";
      if (ends.has(type)) last = recordAt(event, "response");
      const [, kind = "", step] = stepOf.exec(type) ?? [];
      const item = recordAt(event, "item");
      const isWhole = step === "done";
      // A call is kept from its start on, since the event that finishes it may be missing.
      if (kind === "output_item" && (isWhole || isCall(item))) return join(event, item);
      const field = entryOf(pieceFields, kind);
      const text = stringAt(event, isWhole ? (field ?? "") : "delta") ?? "";
      if (field === "text" || field === "refusal") return [say(event, { [field]: text }, isWhole)];
      if (field === "reasoning") return isWhole ? [] : [{ type: field, text }];
      const call = field === undefined ? undefined : find(event, isCall);
      if (field !== undefined && call !== undefined)
        call[field] = grown(stringAt(call, field) ?? "", text, isWhole);
      return [];
    },
    isEnded: () => last !== undefined,
    toBody() {
      if (last === undefined) return undefined;
      const own = items
        .toSorted((left, right) => left.index - right.index)
        .map(({ item }) => item)
        .filter((item) => !isMessage(item) || item["content"] !== undefined);
      const repeated = arrayAt(last, "output").filter(isRecord);
      const filled = repeated.map((item) => {
        const input = entryOf(callFields, item["type"]);
        const known = own.find((one) => isSame(one, item));
        return input === undefined || item[input] ? item : { ...item, [input]: known?.[input] };
      });
      const missing = own.filter((item) => !repeated.some((one) => isSame(one, item)));
      return { ...last, output: [...filled, ...missing] };
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
