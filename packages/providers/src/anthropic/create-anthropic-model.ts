import {
  LanguageModelError,
  type ModelCapabilities,
  type ModelRequest,
  type StreamingModel,
} from "@ccl/core";
import { type JsonRecord, arrayAt, isRecord, withoutUndefined } from "@ccl/core/json";
import { type BodyOptions, createWireModel } from "../http/create-wire-model.ts";
import { type EndpointOptions, callUrl } from "../http/endpoint.ts";
import { fromAnthropicAnswer } from "../wire/anthropic/anthropic-answer.ts";
import { marked } from "../wire/anthropic/cache-marks.ts";
import { toAnthropicMessages } from "../wire/anthropic/index.ts";
import { askedTools } from "../wire/asked-tools.ts";
import { unlessEmpty } from "../wire/wire-fields.ts";
import { anthropicCodeOf, readAnthropicError } from "./anthropic-error.ts";
import { createAnthropicReader } from "./anthropic-stream.ts";

/** Options of `createAnthropicModel`. */
export interface AnthropicOptions extends EndpointOptions {
  /** Base URL without `/v1`. Default: Anthropic's. */
  baseUrl?: string | undefined;
  model: string;
  /** Used for requests without `maxOutputTokens`, since the API requires a limit. Default: 4096. */
  maxOutputTokens?: number | undefined;
  /**
   * Whether to add breakpoints for Anthropic's prompt cache: after the system text or the tools, and after the last
   * turns of a conversation. Has no effect if the caller sets a breakpoint. Default: true.
   */
  marksPromptCache?: boolean | undefined;
  capabilities?: ModelCapabilities | undefined;
}

/**
 * Creates a model for Anthropic's `/v1/messages`. Without `apiKey`, reads the key from `ANTHROPIC_API_KEY`, but only
 * for Anthropic's own server.
 * @throws LanguageModelError `invalid_request` if the URL is invalid
 */
export function createAnthropicModel(options: AnthropicOptions): StreamingModel {
  const {
    baseUrl = "https://api.anthropic.com",
    model,
    maxOutputTokens = 4096,
    marksPromptCache = true,
  } = options;
  const isAnthropic = callUrl(baseUrl, "").hostname === "api.anthropic.com";
  return createWireModel(
    {
      provider: "anthropic",
      baseUrl,
      endpoint: options,
      keyVariable: isAnthropic ? "ANTHROPIC_API_KEY" : undefined,
      headers: (key) => withoutUndefined({ "anthropic-version": "2023-06-01", "x-api-key": key }),
      readError: readAnthropicError,
      codeOf: anthropicCodeOf,
      requestIdHeaders: ["request-id"],
    },
    {
      path: "/v1/messages",
      absent: ["frequency_penalty", "presence_penalty", "seed"],
      toBody(request, call) {
        const body = toAnthropicBody(request, { model, maxOutputTokens }, call);
        return marksPromptCache ? withCacheMarks(body) : body;
      },
      toResponse: fromAnthropicAnswer,
      createReader: createAnthropicReader,
    },
    {
      modelId: model,
      capabilities: { tools: true, promptCache: "explicit", ...options.capabilities },
    },
  );
}

/** Builds the request body for `/v1/messages`. */
function toAnthropicBody(
  request: ModelRequest,
  named: { model: string; maxOutputTokens: number },
  { isStreaming, report }: BodyOptions,
): JsonRecord {
  const { system, messages } = toAnthropicMessages(request.messages, { report });
  const { output_config: given, ...options } = request.providerOptions ?? {};
  const outputConfig = { ...formatOf(request), ...(isRecord(given) ? given : {}) };
  const { tools, toolChoice } = askedTools(request);
  return withoutUndefined({
    model: named.model,
    max_tokens: request.maxOutputTokens ?? named.maxOutputTokens,
    system,
    messages,
    tools: tools?.map(({ name, description, inputSchema: input_schema }) => ({
      name,
      description,
      input_schema,
    })),
    tool_choice:
      typeof toolChoice === "object"
        ? { type: "tool", name: toolChoice.name }
        : toolChoice && { type: toolChoice === "required" ? "any" : toolChoice },
    output_config: unlessEmpty(outputConfig),
    temperature: request.temperature,
    // 1 is the API's default. Newer models reject it when the temperature is also set.
    top_p: request.topP === 1 ? undefined : request.topP,
    top_k: request.topK,
    // A penalty of 0 has no effect.
    frequency_penalty: request.frequencyPenalty || undefined,
    presence_penalty: request.presencePenalty || undefined,
    seed: request.seed,
    stop_sequences: request.stop,
    stream: isStreaming || undefined,
    ...options,
  });
}

function formatOf({ responseFormat }: ModelRequest): JsonRecord {
  if (responseFormat === undefined || responseFormat.type === "text") return {};
  if (responseFormat.type === "json_schema")
    return { format: { type: "json_schema", schema: responseFormat.schema } };
  const message =
    "Anthropic does not support the response format json_object; use json_schema or text.";
  throw new LanguageModelError("unsupported_response_format", message);
}

const mark = { type: "ephemeral" };

/**
 * Adds a cache breakpoint after each prefix that the next call is likely to repeat: the system text or, without one,
 * the tools. Once the model has answered, also marks the user's last two turns. Skips a single question, since a cache
 * write costs more than a read. Returns the body unchanged if the caller has set a breakpoint.
 */
function withCacheMarks(body: JsonRecord): JsonRecord {
  // A schema may have a property of that name.
  const withoutSchemas = (key: string, value: unknown): unknown =>
    key === "input_schema" ? undefined : value;
  if (JSON.stringify(body, withoutSchemas).includes('"cache_control":')) return body;
  const { system, tools } = body;
  const turns = arrayAt(body, "messages").filter(isRecord);
  const answered = turns.some(({ role }) => role === "assistant");
  const asked = new Set(turns.filter(({ role }) => role === "user").slice(-2));
  return withoutUndefined({
    ...body,
    system: system === undefined ? undefined : markedEnd(system),
    tools: system === undefined && Array.isArray(tools) ? markedEnd(tools) : tools,
    messages: turns.map((turn) =>
      answered && asked.has(turn) ? { ...turn, content: markedEnd(turn["content"]) } : turn,
    ),
  });
}

function markedEnd(content: unknown): unknown {
  if (content === "") return content;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return Array.isArray(blocks) ? marked(blocks.filter(isRecord), mark) : content;
}
