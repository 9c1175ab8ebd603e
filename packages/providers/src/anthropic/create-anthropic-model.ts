import { withoutUndefined } from "@ccl/core/json";
import type { ModelCapabilities, StreamingModel } from "@ccl/core";

import { createWireModel } from "../http/create-wire-model.ts";
import { callUrl, type EndpointOptions } from "../http/endpoint.ts";
import { fromAnthropicAnswer } from "../wire/anthropic/anthropic-answer.ts";
import { anthropicCodeOf, readAnthropicError } from "./anthropic-error.ts";
import { anthropic } from "./anthropic.ts";
import { toAnthropicBody } from "./anthropic-request.ts";
import { withCacheMarks } from "./prompt-cache.ts";
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
