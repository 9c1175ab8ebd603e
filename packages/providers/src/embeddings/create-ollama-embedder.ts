import type { Embedder } from "@ccl/core";

import { callUrl } from "../http/endpoint.ts";
import { arrayAt } from "../json/json-record.ts";
import { ollamaCodeOf, readOllamaFault } from "../ollama/ollama-fault.ts";
import { createEmbedder, type EmbedderOptions } from "./create-embedder.ts";

/** Where the model is. A text that is longer than the model's context is an error, not cut in silence. */
export interface OllamaEmbedderOptions extends EmbedderOptions {
  /** Without `/api`. Default: `http://localhost:11434`. */
  baseUrl?: string;
}

/** An embedder behind Ollama's `/api/embed`. Keys are found as `createOllamaModel` finds them. */
export function createOllamaEmbedder(options: OllamaEmbedderOptions): Embedder {
  const { baseUrl = "http://localhost:11434", model } = options;
  const isHosted = callUrl(baseUrl, "").hostname === "ollama.com";
  return createEmbedder(
    {
      provider: "ollama",
      baseUrl,
      endpoint: options,
      keyVariable: options.apiKeyVariable ?? (isHosted ? "OLLAMA_API_KEY" : undefined),
      headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
      readFault: readOllamaFault,
      codeOf: ollamaCodeOf,
      requestIdHeaders: [],
    },
    {
      path: "/api/embed",
      toBody: (texts) => ({ model, input: texts, truncate: false }),
      readVectors: (body) => arrayAt(body, "embeddings"),
    },
    options,
  );
}
