import type { Embedder } from "@ccl/core";
import { arrayAt, numberAt } from "@ccl/core/json";

import { createEmbedder, type EmbedderOptions } from "./create-embedder.ts";

/** Options of `createOpenAiCompatibleEmbedder`. */
export interface OpenAiCompatibleEmbedderOptions extends EmbedderOptions {
  /** Base URL, which ends in `/v1` for nearly all servers. Default: OpenAI's. */
  baseUrl?: string | undefined;
  /** Prefix of the embedder's name. Default: `openai-compatible`. */
  provider?: string | undefined;
}

/** Creates an embedder for `/embeddings`. Finds keys as `createOpenAiCompatibleModel` does. */
export function createOpenAiCompatibleEmbedder(options: OpenAiCompatibleEmbedderOptions): Embedder {
  const { model } = options;
  return createEmbedder(options, {
    path: "/embeddings",
    toBody: (texts) => ({ model, input: texts, encoding_format: "float" }),
    readVectors(body) {
      const rows = arrayAt(body, "data").map((row, place) => ({
        index: numberAt(row, "index") ?? place,
        vector: arrayAt(row, "embedding"),
      }));
      return rows.sort((left, right) => left.index - right.index).map(({ vector }) => vector);
    },
  });
}
