import type { ModelCapabilities, ModelRequest, ResponseFormat, StreamingModel } from "@ccl/core";
import { type JsonRecord, withoutUndefined } from "@ccl/core/json";
import { createWireModel } from "../http/create-wire-model.ts";
import type { EndpointOptions } from "../http/endpoint.ts";
import { samplingFields } from "../http/sampling-fields.ts";
import { askedTools } from "../wire/asked-tools.ts";
import { type OpenAiMessagesOptions, toOpenAiMessages } from "../wire/openai-chat/index.ts";
import { fromOpenAiAnswer } from "../wire/openai-chat/open-ai-answer.ts";
import { openAiService } from "./open-ai-service.ts";
import { createOpenAiReader } from "./open-ai-stream.ts";
import type { OpenAiPresetName } from "./presets.ts";

/** Options of `createOpenAiCompatibleModel`. */
export interface OpenAiCompatibleOptions extends EndpointOptions {
  /**
   * A server whose address, key variable and fields are known. Also sets `provider`. Other options override the preset.
   * Ollama silently truncates a prompt that exceeds its context. To avoid this, set `OLLAMA_CONTEXT_LENGTH` on its
   * host.
   */
  preset?: OpenAiPresetName | undefined;
  /** Base URL, which ends in `/v1` for nearly all servers. Default: the preset's, else OpenAI's. */
  baseUrl?: string | undefined;
  model: string;
  /** Name in traces, and the key in `providerMetadata` for this server's fields. Default: `openai-compatible`. */
  provider?: string | undefined;
  capabilities?: ModelCapabilities | undefined;
  /** Field for the reasoning of earlier assistant messages. If not set, that reasoning is left out. */
  reasoningField?: "reasoning_content" | "reasoning" | undefined;
}

/**
 * Creates a model for `/chat/completions`: OpenAI, Ollama, LM Studio, vLLM, llama.cpp, DeepSeek, OpenRouter and similar
 * servers. Without `apiKey`, reads the key from `OPENAI_API_KEY`, but only for OpenAI's own server. Each preset reads
 * its own variable, for example `GROQ_API_KEY`, for its own host.
 * @throws LanguageModelError `invalid_request` if the URL is invalid
 */
export function createOpenAiCompatibleModel(options: OpenAiCompatibleOptions): StreamingModel {
  const { model } = options;
  const service = openAiService(options);
  const { provider, isOpenAi, preset } = service;
  const dialect = {
    provider,
    developerRole: isOpenAi ? ("developer" as const) : ("system" as const),
    reasoningField: options.reasoningField ?? preset.reasoningField,
    maxTokensField: isOpenAi ? "max_completion_tokens" : "max_tokens",
  };
  return createWireModel(
    service,
    {
      path: "/chat/completions",
      absent: preset.absent ?? [],
      toBody: (request, call) => toOpenAiBody(request, model, { ...dialect, ...call }),
      toResponse: (body) => fromOpenAiAnswer(body, provider),
      createReader: createOpenAiReader,
    },
    { modelId: model, capabilities: options.capabilities },
  );
}

/** How a call's form differs between servers with OpenAI's format, and between calls. */
interface CallForm extends OpenAiMessagesOptions {
  maxTokensField: string;
  isStreaming: boolean;
}

/** Builds the body of a `/chat/completions` call. */
function toOpenAiBody(request: ModelRequest, model: string, form: CallForm): JsonRecord {
  const { tools, toolChoice } = askedTools(request);
  return withoutUndefined({
    model,
    messages: toOpenAiMessages(request.messages, form),
    tools: tools?.map(({ name, description, inputSchema: parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
    tool_choice:
      typeof toolChoice === "object"
        ? { type: "function", function: { name: toolChoice.name } }
        : toolChoice,
    response_format: responseFormatOf(request.responseFormat),
    ...samplingFields(request),
    [form.maxTokensField]: request.maxOutputTokens,
    stream: form.isStreaming || undefined,
    stream_options: form.isStreaming ? { include_usage: true } : undefined,
    ...request.providerOptions,
  });
}

function responseFormatOf(format: ResponseFormat | undefined): JsonRecord | undefined {
  // Every server defaults to text, and some reject an explicit format.
  if (format === undefined || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json_object" };
  const { name, schema, strict } = format;
  return { type: "json_schema", json_schema: withoutUndefined({ name, schema, strict }) };
}
