import type { ModelCapabilities } from "@ccl/core";

import { createWireModel, type StreamingModel } from "../http/create-wire-model.ts";
import { callUrl, type EndpointOptions } from "../http/endpoint.ts";
import { ollamaCodeOf, readOllamaFault } from "./ollama-fault.ts";
import { ollama, toOllamaBody } from "./ollama-request.ts";
import { createOllamaReader, toOllamaResponse } from "./ollama-response.ts";

/** Where the model is. */
export interface OllamaOptions extends EndpointOptions {
  /** Without `/api`. Default: `http://localhost:11434`. */
  baseUrl?: string;
  model: string;
  capabilities?: ModelCapabilities;
}

/**
 * A model behind Ollama's own `/api/chat`. Keys are for ollama.com, which gets `OLLAMA_API_KEY` when none is passed.
 * @throws LanguageModelError `invalid_request` for an address that can't be called.
 */
export function createOllamaModel(options: OllamaOptions): StreamingModel {
  const { baseUrl = "http://localhost:11434", model, capabilities } = options;
  const isHosted = callUrl(baseUrl, "").hostname === "ollama.com";
  return createWireModel(
    {
      provider: ollama,
      baseUrl,
      endpoint: options,
      keyVariable: options.apiKeyVariable ?? (isHosted ? "OLLAMA_API_KEY" : undefined),
      headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
      readFault: readOllamaFault,
      codeOf: ollamaCodeOf,
      requestIdHeaders: ["x-request-id"],
    },
    {
      path: "/api/chat",
      framing: "json-lines",
      toBody: (request, isStreaming) => toOllamaBody(request, model, isStreaming),
      toResponse: toOllamaResponse,
      createReader: createOllamaReader,
    },
    { modelId: model, capabilities },
  );
}
