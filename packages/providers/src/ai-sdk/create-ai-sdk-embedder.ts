import type { Embedder, LanguageModelError } from "@ccl/core";

import { createBatchEmbedder } from "../embeddings/create-batch-embedder.ts";
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

/** An embedding model of the AI SDK as an embedder here, with batches of the size that it allows. */
export function createAiSdkEmbedder(options: AiSdkEmbedderOptions): Embedder {
  const { model, dimensions, timeoutMs, retries } = options;
  const { provider, modelId } = model;
  const explain = (caught: unknown): LanguageModelError | undefined =>
    toModelError(caught, provider);
  return createBatchEmbedder({
    name: `${provider}/${modelId}/${dimensions}`,
    provider,
    dimensions,
    batchSize: async () => Math.max(1, (await model.maxEmbeddingsPerCall) ?? 128),
    embedBatch: (values, signal) =>
      runCall({ name: provider, signal, timeoutMs, retries, explain }, async (abortSignal) => {
        const { embeddings } = await model.doEmbed({ values, abortSignal });
        return embeddings;
      }),
  });
}
