import type { Embedder } from "@ccl/core";
import { arrayAt } from "@ccl/core/json";

import { openAiService } from "../openai-compatible/open-ai-service.ts";
import { createEmbedder, type EmbedderOptions } from "./create-embedder.ts";

/** The address of the model. A text that is longer than the model's context is an error and is not truncated. */
export interface OllamaEmbedderOptions extends EmbedderOptions {
  /** Without `/api`. Default: `http://localhost:11434`. */
  baseUrl?: string | undefined;
}

/**
 * Creates an embedder for Ollama's `/api/embed`, since `/v1` truncates long texts. Only ollama.com gets
 * `OLLAMA_API_KEY`.
 */
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
