import type { ModelCapabilities, StreamingModel } from "@ccl/core";

import { createWireModel } from "../http/create-wire-model.ts";
import type { EndpointOptions } from "../http/endpoint.ts";
import { toOllamaBody } from "./ollama-request.ts";
import { createOllamaReader, toOllamaResponse } from "./ollama-response.ts";
import { ollamaService } from "./ollama-service.ts";

/** Where the model is. */
export interface OllamaOptions extends EndpointOptions {
  /** Without `/api`. Default: `http://localhost:11434`. */
  baseUrl?: string | undefined;
  model: string;
  capabilities?: ModelCapabilities | undefined;
}

/**
 * A model behind Ollama's own `/api/chat`. Keys are for ollama.com, which gets `OLLAMA_API_KEY` when none is passed.
 * @throws LanguageModelError `invalid_request` for an address that can't be called.
 */
export function createOllamaModel(options: OllamaOptions): StreamingModel {
  const { model, capabilities } = options;
  return createWireModel(
    ollamaService(options),
    {
      path: "/api/chat",
      framing: "json-lines",
      toBody: (request, call) => toOllamaBody(request, model, call),
      toResponse: toOllamaResponse,
      createReader: createOllamaReader,
    },
    { modelId: model, capabilities },
  );
}
