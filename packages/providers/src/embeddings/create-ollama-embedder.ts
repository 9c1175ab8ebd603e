import type { Embedder } from "@ccl/core";
import { arrayAt } from "@ccl/core/json";

import { createEmbedder, type EmbedderOptions } from "./create-embedder.ts";

/** Options of `createOllamaEmbedder`. Text that exceeds the model's context is an error. It is not truncated. */
export interface OllamaEmbedderOptions extends EmbedderOptions {
  /** Base URL without `/api`. Default: `http://localhost:11434`. */
  baseUrl?: string | undefined;
}

/**
 * Creates an embedder for Ollama's `/api/embed`, since `/v1` truncates long texts. Sends `OLLAMA_API_KEY` only to
 * ollama.com.
 */
export function createOllamaEmbedder(options: OllamaEmbedderOptions): Embedder {
  const { model, baseUrl = "http://localhost:11434" } = options;
  return createEmbedder(
    { ...options, baseUrl, preset: "ollama" },
    {
      path: "/api/embed",
      toBody: (texts) => ({ model, input: texts, truncate: false }),
      readVectors: (body) => arrayAt(body, "embeddings"),
    },
  );
}
