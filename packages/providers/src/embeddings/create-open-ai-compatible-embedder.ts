import type { Embedder } from "@ccl/core";
import { arrayAt, numberAt } from "@ccl/core/json";

import { openAiService } from "../openai-compatible/open-ai-service.ts";
import { createEmbedder, type EmbedderOptions } from "./create-embedder.ts";

/** Where the model is, and what its server gets. */
export interface OpenAiCompatibleEmbedderOptions extends EmbedderOptions {
  /** Ends in `/v1` for nearly all servers. Default: OpenAI's. */
  baseUrl?: string | undefined;
  /** First part of the embedder's name. Default: `openai-compatible`. */
  provider?: string | undefined;
}

/** An embedder behind `/embeddings`. Keys are found as `createOpenAiCompatibleModel` finds them. */
export function createOpenAiCompatibleEmbedder(options: OpenAiCompatibleEmbedderOptions): Embedder {
  const { model } = options;
  return createEmbedder(
    openAiService(options),
    {
      path: "/embeddings",
      toBody: (texts) => ({ model, input: texts, encoding_format: "float" }),
      readVectors(body) {
        const rows = arrayAt(body, "data").map((row, place) => ({
          index: numberAt(row, "index") ?? place,
          vector: arrayAt(row, "embedding"),
        }));
        return rows.sort((left, right) => left.index - right.index).map(({ vector }) => vector);
      },
    },
    options,
  );
}
