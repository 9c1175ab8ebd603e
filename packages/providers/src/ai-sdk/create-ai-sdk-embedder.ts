import type { Embedder } from "@ccl/core";

import { createBatchEmbedder } from "../embeddings/create-batch-embedder.ts";
import { runCall } from "../http/run-call.ts";
import { toModelError } from "./ai-sdk-error.ts";
import type { AiSdkEmbeddingModel } from "./ai-sdk-types.ts";

/** The embedding model to wrap. */
export interface AiSdkEmbedderOptions {
  model: AiSdkEmbeddingModel;
  /** Length of each vector, which the SDK does not report. Vectors of another length are an error. */
  dimensions: number;
  /** Limit of one call. */
  timeoutMs?: number | undefined;
  /** How often a call is retried after a failure that may be temporary. Default: 2. */
  retries?: number | undefined;
}

/** Wraps an embedding model of the AI SDK. Batches have the size that the model allows. */
export function createAiSdkEmbedder(options: AiSdkEmbedderOptions): Embedder {
  const { model, dimensions, timeoutMs, retries } = options;
  const { provider, modelId } = model;
  return createBatchEmbedder({
    name: `${provider}/${modelId}/${dimensions}`,
    provider,
    dimensions,
    batchSize: async () => Math.max(1, (await model.maxEmbeddingsPerCall) ?? 128),
    embedBatch: (values, signal) =>
      runCall(
        {
          name: provider,
          signal,
          timeoutMs,
          retries,
          explain: (caught) => toModelError(caught, provider),
        },
        async (abortSignal) => {
          const { embeddings } = await model.doEmbed({ values, abortSignal });
          return embeddings;
        },
      ),
  });
}
