import { type Embedder, LanguageModelError } from "@ccl/core";

/** Computes the vectors of a batch of texts. */
export interface BatchModel {
  /** The embedder's name. It includes everything that the vectors depend on. */
  name: string;
  /** The name to show in errors. */
  provider: string;
  dimensions: number;
  /** Maximum number of texts in a batch. */
  batchSize: number | (() => Promise<number>);
  embedBatch(
    texts: string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly ArrayLike<unknown>[]>;
}

/** Creates an embedder that runs its batches one at a time and keeps the order of the texts. */
export function createBatchEmbedder(model: BatchModel): Embedder {
  const { name, dimensions, batchSize } = model;
  for (const [option, value] of Object.entries({ dimensions, batchSize })) {
    if (typeof value === "function" || (Number.isSafeInteger(value) && value >= 1)) continue;
    const message = `${option} is ${value}; pass a whole number above 0.`;
    throw new LanguageModelError("invalid_request", message);
  }
  return {
    name,
    dimensions,
    async embed(texts, { signal } = {}) {
      const size = typeof batchSize === "number" ? batchSize : await batchSize();
      const all: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += size) {
        const batch = texts.slice(start, start + size);
        const vectors = await model.embedBatch(batch, signal);
        for (const vector of checkedVectors(vectors, batch.length, model)) all.push(vector);
      }
      return all;
    },
  };
}

function checkedVectors(
  vectors: readonly ArrayLike<unknown>[],
  count: number,
  { provider, dimensions }: BatchModel,
): Float32Array[] {
  const fail = (what: string): LanguageModelError =>
    new LanguageModelError("provider_error", `${provider} returned ${what}`);
  if (vectors.length !== count) throw fail(`${vectors.length} vectors for ${count} texts.`);
  return vectors.map((vector) => {
    if (vector.length !== dimensions)
      throw fail(`a vector of ${vector.length} numbers; \`dimensions\` says ${dimensions}.`);
    const numbers = Float32Array.from(vector, (value) => (typeof value === "number" ? value : NaN));
    if (!numbers.every(Number.isFinite))
      throw fail("a vector with a value that is not a finite number.");
    return numbers;
  });
}
