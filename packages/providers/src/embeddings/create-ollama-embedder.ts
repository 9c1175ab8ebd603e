import type { Embedder } from "@ccl/core";
import { arrayAt } from "@ccl/core/json";

import { openAiService } from "../openai-compatible/open-ai-service.ts";
import { createEmbedder, type EmbedderOptions } from "./create-embedder.ts";

/** Where the model is. A text that is longer than the model's context is an error, not cut in silence. */
export interface OllamaEmbedderOptions extends EmbedderOptions {
  /** Without `/api`. Default: `http://localhost:11434`. */
  baseUrl?: string | undefined;
}

/** An embedder behind Ollama's `/api/embed`; its `/v1` would cut long texts. Only ollama.com gets `OLLAMA_API_KEY`. */
export function createOllamaEmbedder(options: OllamaEmbedderOptions): Embedder {
  const { model, baseUrl = "http://localhost:11434" } = options;
  return createEmbedder(
    openAiService({ ...options, baseUrl, preset: "ollama" }),
    {
      path: "/api/embed",
      toBody: (texts) => ({ model, input: texts, truncate: false }),
      readVectors: (body) => arrayAt(body, "embeddings"),
    },
    options,
  );
}
