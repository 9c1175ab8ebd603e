import { type Embedder, LanguageModelError } from "@ccl/core";

import { CallScope } from "../http/call-scope.ts";
import { toModelError } from "./ai-sdk-error.ts";
import type { AiSdkEmbeddingModel } from "./ai-sdk-types.ts";

/** The embedding model to wrap. */
export interface AiSdkEmbedderOptions {
  model: AiSdkEmbeddingModel;
  /** Length of each vector, which the SDK does not report; an answer of another length is an error. */
  dimensions: number;
  /** Of one call. */
  timeoutMs?: number | undefined;
}

/** An embedding model of the AI SDK as an embedder here: batches of the size that it allows, the order of the texts kept. */
export function createAiSdkEmbedder({
  model,
  dimensions,
  timeoutMs,
}: AiSdkEmbedderOptions): Embedder {
  const { provider, modelId } = model;
  const embedBatch = async (
    values: string[],
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> => {
    const scope = new CallScope(provider, { signal, timeoutMs });
    try {
      const { embeddings } = await model.doEmbed({ values, abortSignal: scope.signal });
      const lengths = new Set(embeddings.map(({ length }) => length));
      if (
        embeddings.length === values.length &&
        [...lengths].every((length) => length === dimensions)
      ) {
        return embeddings.map((vector) => Float32Array.from(vector));
      }
      const message = `${provider} gave ${embeddings.length} vectors of ${[...lengths].join(", ")} numbers for ${values.length} texts and ${dimensions} dimensions.`;
      throw new LanguageModelError("provider_error", message);
    } catch (error) {
      throw scope.explain(scope.signal.aborted ? error : (toModelError(error, provider) ?? error));
    } finally {
      scope.close();
    }
  };
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
