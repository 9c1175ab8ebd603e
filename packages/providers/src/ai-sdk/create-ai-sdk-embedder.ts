import { type Embedder, LanguageModelError } from "@ccl/core";

import { runCall } from "../http/run-call.ts";
import { toModelError } from "./ai-sdk-error.ts";
import type { AiSdkEmbeddingModel } from "./ai-sdk-types.ts";

/** The embedding model to wrap. */
export interface AiSdkEmbedderOptions {
  model: AiSdkEmbeddingModel;
  /** Length of each vector, which the SDK does not report; an answer of another length is an error. */
  dimensions: number;
  /** Of one call. */
  timeoutMs?: number | undefined;
  /** Calls after one that failed in a way that may pass. Default: 2. */
  retries?: number | undefined;
}

/** An embedding model of the AI SDK as an embedder here: batches of the size that it allows, the order of the texts kept. */
export function createAiSdkEmbedder({
  model,
  dimensions,
  timeoutMs,
  retries,
}: AiSdkEmbedderOptions): Embedder {
  const { provider, modelId } = model;
  const explain = (caught: unknown): LanguageModelError | undefined =>
    toModelError(caught, provider);
  const embedBatch = (values: string[], signal: AbortSignal | undefined): Promise<Float32Array[]> =>
    runCall({ name: provider, signal, timeoutMs, retries, explain }, async (abortSignal) => {
      const { embeddings } = await model.doEmbed({ values, abortSignal });
      const lengths = new Set(embeddings.map(({ length }) => length));
      if (
        embeddings.length === values.length &&
        [...lengths].every((length) => length === dimensions)
      ) {
        return embeddings.map((vector) => Float32Array.from(vector));
      }
      const message = `${provider} gave ${embeddings.length} vectors of ${[...lengths].join(", ")} numbers for ${values.length} texts and ${dimensions} dimensions.`;
      throw new LanguageModelError("provider_error", message);
    });
  return {
    name: `${provider}/${modelId}/${dimensions}`,
    dimensions,
    async embed(texts, { signal } = {}) {
      const batchSize = Math.max(1, (await model.maxEmbeddingsPerCall) ?? 128);
      const all: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += Math.min(batchSize, texts.length)) {
        for (const vector of await embedBatch(texts.slice(start, start + batchSize), signal))
          all.push(vector);
      }
      return all;
    },
  };
}
