import type { Embedder } from "@ccl/core";

import { createBatchEmbedder } from "../embeddings/create-batch-embedder.ts";
import { runCall } from "../http/run-call.ts";
import { toModelError } from "./ai-sdk-error.ts";
import type { AiSdkEmbeddingModel } from "./ai-sdk-types.ts";

/** Options of `createAiSdkEmbedder`. */
export interface AiSdkEmbedderOptions {
  model: AiSdkEmbeddingModel;
  /** Length of each vector, which the SDK does not report. The embedder rejects vectors of any other length. */
  dimensions: number;
  /** Time limit for a call. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries after a failure that may be temporary. Default: 2. */
  retries?: number | undefined;
}

/** Wraps an AI SDK embedding model. Uses the model's own batch size. */
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
