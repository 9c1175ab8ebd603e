import {
  LanguageModelError,
  type ModelCapabilities,
  type ModelRequest,
  type StreamingModel,
} from "@ccl/core";
import { type JsonRecord, arrayAt, isRecord, recordAt, withoutUndefined } from "@ccl/core/json";
import { type BodyOptions, createWireModel } from "../http/create-wire-model.ts";
import { type EndpointOptions, callUrl } from "../http/endpoint.ts";
import { fromAnthropicAnswer } from "../wire/anthropic/anthropic-answer.ts";
import { marked } from "../wire/anthropic/cache-marks.ts";
import { toAnthropicMessages } from "../wire/anthropic/index.ts";
import { askedTools } from "../wire/asked-tools.ts";
import { anthropicCodeOf, readAnthropicError } from "./anthropic-error.ts";
import { createAnthropicReader } from "./anthropic-stream.ts";

/** Where the model is, and what the API wants to know of every call. */
export interface AnthropicOptions extends EndpointOptions {
  /** Without `/v1`. Default: Anthropic's. */
  baseUrl?: string | undefined;
  model: string;
  /** For requests without `maxOutputTokens`, which the API needs. Default: 4096. */
  maxOutputTokens?: number | undefined;
  /**
   * Marks the ends of the system text or the tools, and of the last turns of a conversation, for Anthropic's prompt cache.
   * Marks of a caller's own replace them. Default: true.
   */
  marksPromptCache?: boolean | undefined;
  /** The header `anthropic-version`. Default: `2023-06-01`. */
  version?: string | undefined;
  capabilities?: ModelCapabilities | undefined;
}

/**
 * A model behind Anthropic's `/v1/messages`. Without `apiKey` the key is read from `ANTHROPIC_API_KEY` for Anthropic itself;
 * other servers never get it.
 * @throws LanguageModelError `invalid_request` for an address that can't be called.
 */
export function createAnthropicModel(options: AnthropicOptions): StreamingModel {
  const {
    baseUrl = "https://api.anthropic.com",
    model,
    maxOutputTokens = 4096,
    version = "2023-06-01",
    marksPromptCache = true,
  } = options;
  const isAnthropic = callUrl(baseUrl, "").hostname === "api.anthropic.com";
  return createWireModel(
    {
      provider: anthropic,
      baseUrl,
      endpoint: options,
      keyVariable: isAnthropic ? "ANTHROPIC_API_KEY" : undefined,
      headers: (key) => withoutUndefined({ "anthropic-version": version, "x-api-key": key }),
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

/** The body of a call of `/v1/messages`. */
function toAnthropicBody(
  request: ModelRequest,
  named: { model: string; maxOutputTokens: number },
  { isStreaming, report }: BodyOptions,
): JsonRecord {
  const { system, messages } = toAnthropicMessages(request.messages, { report });
  const { output_config: given, ...options } = request.providerOptions ?? {};
  const outputConfig = { ...formatOf(request), ...recordAt({ given }, "given") };
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
    output_config: Object.keys(outputConfig).length > 0 ? outputConfig : undefined,
    temperature: request.temperature,
    // 1 is what the API takes by itself, and newer models refuse it beside a temperature.
    top_p: request.topP === 1 ? undefined : request.topP,
    top_k: request.topK,
    // A penalty of 0 asks for nothing.
    frequency_penalty: request.frequencyPenalty || undefined,
    presence_penalty: request.presencePenalty || undefined,
    seed: request.seed,
    stop_sequences: request.stop,
    stream: isStreaming ? true : undefined,
    ...options,
  });
}

function formatOf({ responseFormat }: ModelRequest): JsonRecord {
  if (responseFormat === undefined || responseFormat.type === "text") return {};
  if (responseFormat.type === "json_schema")
    return { format: { type: "json_schema", schema: responseFormat.schema } };
  const message = "anthropic has no response format json_object; ask for json_schema, or for text.";
  throw new LanguageModelError("unsupported_response_format", message);
}

const mark = { type: "ephemeral" };

/**
 * The body with a mark at the end of each prefix that the next call is likely to repeat: the system text, or the tools
 * where there is none, and once the model has answered, the last two turns of the user. A single question is not marked,
 * since writing into the cache costs more than reading. As it is where the caller has marked anything.
 */
function withCacheMarks(body: JsonRecord): JsonRecord {
  if (JSON.stringify(body).includes('"cache_control":')) return body;
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

/** Names the provider in errors, and its fields in `providerMetadata`. */
const anthropic = "anthropic";
