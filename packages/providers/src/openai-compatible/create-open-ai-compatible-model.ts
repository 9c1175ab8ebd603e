import type { ModelCapabilities, StreamingModel } from "@ccl/core";

import { createWireModel } from "../http/create-wire-model.ts";
import type { EndpointOptions } from "../http/endpoint.ts";
import { fromOpenAiAnswer } from "../wire/openai-chat/open-ai-answer.ts";
import { toOpenAiBody } from "./open-ai-request.ts";
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
