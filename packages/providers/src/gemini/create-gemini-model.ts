import type {
  LanguageModelErrorCode,
  ModelCapabilities,
  ModelRequest,
  ResponseFormat,
  StreamingModel,
} from "@ccl/core";
import {
  type JsonRecord,
  arrayAt,
  numberAt,
  recordAt,
  stringAt,
  valueAt,
  withoutUndefined,
} from "@ccl/core/json";
import { type BodyOptions, createWireModel, type StreamReader } from "../http/create-wire-model.ts";
import { type EndpointOptions, callUrl } from "../http/endpoint.ts";
import { type ReportedError, isRefusal } from "../http/reported-error.ts";
import { askedTools } from "../wire/asked-tools.ts";
import { fromGeminiAnswer, partsIn, textIn } from "../wire/gemini/gemini-answer.ts";
import { gemini, toGeminiContents } from "../wire/gemini/to-gemini-contents.ts";
import { firstIn, unlessEmpty, without } from "../wire/wire-fields.ts";

/** Options of `createGeminiModel`. */
export interface GeminiOptions extends EndpointOptions {
  /** Base URL without `/v1beta`. Default: Google's. */
  baseUrl?: string | undefined;
  /** For example `gemini-3.8-flash`. */
  model: string;
  capabilities?: ModelCapabilities | undefined;
}

const host = "generativelanguage.googleapis.com";

/**
 * Creates a model for Gemini's `generateContent`. Keeps thought signatures in `providerMetadata.gemini` of calls and
 * answers, and sends them back with their messages. Without `apiKey`, reads the key from `GEMINI_API_KEY`, but only for
 * Google's own server.
 * @throws LanguageModelError `invalid_request` if the URL is invalid
 */
export function createGeminiModel(options: GeminiOptions): StreamingModel {
  const { baseUrl = `https://${host}`, model, capabilities } = options;
  const path = `/v1beta/models/${encodeURIComponent(model.replace(/^models\//, ""))}`;
  return createWireModel(
    {
      provider: gemini,
      title: "Gemini",
      baseUrl,
      endpoint: options,
      keyVariable: callUrl(baseUrl, "").hostname === host ? "GEMINI_API_KEY" : undefined,
      headers: (key) => withoutUndefined({ "x-goog-api-key": key }),
      readError: readGeminiError,
      codeOf: geminiCodeOf,
      requestIdHeaders: [],
    },
    {
      path: `${path}:generateContent`,
      streamPath: `${path}:streamGenerateContent?alt=sse`,
      toBody: (request, { report }) => toGeminiBody(request, model, report),
      toResponse: fromGeminiAnswer,
      createReader: createGeminiReader,
    },
    { modelId: model, capabilities: { tools: true, promptCache: "automatic", ...capabilities } },
  );
}

const blocked = "BLOCKED";
const contextSentence = /input token count.* exceeds the maximum number of tokens allowed/;
const formatFields = /response[_ ]?(?:mime[_ ]?type|(?:json[_ ]?)?schema)/i;

/** Reads Google's `{ error: { code, message, status, details } }`, and blocked prompts, which get no answer. */
function readGeminiError(body: JsonRecord): ReportedError | undefined {
  const error = recordAt(body, "error");
  if (Object.keys(error).length === 0) {
    const parts = partsIn(firstIn(body, "candidates") ?? {});
    if (parts.some((part) => valueAt(part, ["functionCall", "partialArgs"])))
      return {
        message:
          "tool arguments in pieces, which are not supported; do not set streamFunctionCallArguments",
      };
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

/** Returns the code that the message implies. Undefined if only the status matters. */
function geminiCodeOf(reported: ReportedError): LanguageModelErrorCode | undefined {
  const { status, type, message = "" } = reported;
  if (type === blocked) return "content_filtered";
  if (status !== 400) return undefined;
  if (/^API key (?:not valid|expired)/.test(message)) return "authentication";
  if (contextSentence.test(message)) return "context_length_exceeded";
  const isFormat = formatFields.test(message) && isRefusal(message);
  return isFormat ? "unsupported_response_format" : undefined;
}

const modes: Record<string, string> = { auto: "AUTO", none: "NONE", required: "ANY" };

/**
 * Builds the body of a `generateContent` call. `generationConfig` in `providerOptions` overrides the request's fields.
 */
function toGeminiBody(
  request: ModelRequest,
  model: string,
  report: BodyOptions["report"],
): JsonRecord {
  const { generationConfig: given, ...options } = request.providerOptions ?? {};
  const { tools, toolChoice } = askedTools(request);
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = request;
  const generationConfig = withoutUndefined({
    temperature,
    topP,
    topK,
    frequencyPenalty,
    presencePenalty,
    seed,
    stopSequences: request.stop,
    maxOutputTokens: request.maxOutputTokens,
    ...formatOf(request.responseFormat),
    ...recordAt({ given }, "given"),
  });
  const functionDeclarations = tools?.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: inputSchema,
  }));
  return withoutUndefined({
    ...toGeminiContents(request.messages, {
      report,
      needsSignatures: !/(?:^|\/)gemini-[12]\b/.test(model),
    }),
    tools: functionDeclarations && [{ functionDeclarations }],
    toolConfig: toolChoice && { functionCallingConfig: callingOf(toolChoice) },
    generationConfig: unlessEmpty(generationConfig),
    ...options,
  });
}

function callingOf(choice: NonNullable<ModelRequest["toolChoice"]>): JsonRecord {
  return typeof choice === "object"
    ? { mode: "ANY", allowedFunctionNames: [choice.name] }
    : { mode: modes[choice] };
}

function formatOf(format: ResponseFormat | undefined): JsonRecord {
  if (format === undefined || format.type === "text") return {};
  const responseJsonSchema = format.type === "json_schema" ? format.schema : undefined;
  return { responseMimeType: "application/json", responseJsonSchema };
}

/**
 * Assembles the chunks of a streamed answer. Collects all parts of the first candidate, and keeps the last value of
 * other fields.
 */
function createGeminiReader(): StreamReader {
  const parts: JsonRecord[] = [];
  const root: JsonRecord = {};
  const candidate: JsonRecord = {};
  return {
    push(chunk) {
      Object.assign(root, without(chunk, "candidates"));
      const given = firstIn(chunk, "candidates") ?? {};
      Object.assign(candidate, without(given, "content"));
      const added = partsIn(given);
      parts.push(...added);
      return (["reasoning", "text"] as const).map((type) => ({ type, text: textIn(added, type) }));
    },
    // The API does not mark the end. Some gateways send a reason with each chunk, or the token counts after the last
    // chunk.
    mayBeEnded: () => candidate["finishReason"] !== undefined,
    toBody: () =>
      candidate["finishReason"] === undefined
        ? undefined
        : { ...root, candidates: [{ ...candidate, content: { parts } }] },
  };
}
