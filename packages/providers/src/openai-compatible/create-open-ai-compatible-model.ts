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

/** Where the model is and how its server differs from OpenAI's own. */
export interface OpenAiCompatibleOptions extends EndpointOptions {
  /**
   * A server whose address, key variable and fields are known; `provider` is its name then, and other options win.
   * Ollama cuts a prompt that is longer than its context without a word: set `OLLAMA_CONTEXT_LENGTH` where it runs.
   */
  preset?: OpenAiPresetName | undefined;
  /** Ends in `/v1` for nearly all servers. Default: the preset's, else OpenAI's. */
  baseUrl?: string | undefined;
  model: string;
  /** Name in traces, and the key under which `providerMetadata` holds what is this server's own. Default: `openai-compatible`. */
  provider?: string | undefined;
  capabilities?: ModelCapabilities | undefined;
  /** Field for the reasoning of earlier assistant messages. Default: none; such reasoning is then left out. */
  reasoningField?: "reasoning_content" | "reasoning" | undefined;
}

/**
 * A model behind `/chat/completions`: OpenAI, Ollama, LM Studio, vLLM, llama.cpp, DeepSeek, OpenRouter and the like. Without
 * `apiKey` the key is read from `OPENAI_API_KEY` for OpenAI itself, and other servers never get it. A preset has a variable
 * of its own, such as `GROQ_API_KEY`, for its own host.
 * @throws LanguageModelError `invalid_request` for an address that can't be called.
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

/** What differs between servers that speak OpenAI's format, and between calls. */
interface CallForm extends OpenAiMessagesOptions {
  maxTokensField: string;
  isStreaming: boolean;
}

/** The body of a call of `/chat/completions`. */
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
    stream: form.isStreaming ? true : undefined,
    stream_options: form.isStreaming ? { include_usage: true } : undefined,
    ...request.providerOptions,
  });
}

function responseFormatOf(format: ResponseFormat | undefined): JsonRecord | undefined {
  // Text is what every server gives unasked, and some refuse to be asked.
  if (format === undefined || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json_object" };
  const { name, schema, strict } = format;
  return { type: "json_schema", json_schema: withoutUndefined({ name, schema, strict }) };
}
