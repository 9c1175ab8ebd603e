import type { Embedder } from "@ccl/core";
import { arrayAt } from "@ccl/core/json";

import { ollamaService } from "../ollama/ollama-service.ts";
import { createEmbedder, type EmbedderOptions } from "./create-embedder.ts";

/** Where the model is. A text that is longer than the model's context is an error, not cut in silence. */
export interface OllamaEmbedderOptions extends EmbedderOptions {
  /** Without `/api`. Default: `http://localhost:11434`. */
  baseUrl?: string | undefined;
}

/** An embedder behind Ollama's `/api/embed`. Keys are found as `createOllamaModel` finds them. */
export function createOllamaEmbedder(options: OllamaEmbedderOptions): Embedder {
  const { model } = options;
  return createEmbedder(
    ollamaService(options),
    {
      path: "/api/embed",
      toBody: (texts) => ({ model, input: texts, truncate: false }),
      readVectors: (body) => arrayAt(body, "embeddings"),
    },
    options,
  );
}
