import { type Embedder, LanguageModelError } from "@ccl/core";
import { loadOnce, throwIfAborted, untilAborted } from "@ccl/core/async";

import { quoteOf } from "../http/reported-error.ts";
import { createBatchEmbedder } from "./create-batch-embedder.ts";

/** Computes the vectors of texts. Returns them in the same order. */
type EmbedBatch = (texts: string[]) => Promise<readonly ArrayLike<unknown>[]>;

/** A model that runs in this process. */
export interface LocalModel {
  /** Names the library, the model and everything else that the vectors depend on. */
  name: string;
  dimensions: number;
  batchSize: number;
  load: () => Promise<EmbedBatch>;
}

/**
 * Creates an embedder for a model in this process. The vectors have length 1. The first call loads the model. If
 * loading fails, the next call tries again. Yields to timers and aborts before each batch, since the computation blocks
 * them.
 */
export function createLocalEmbedder({ load, ...model }: LocalModel): Embedder {
  const { name } = model;
  const loaded = loadOnce(async () => {
    try {
      return await load();
    } catch (cause) {
      throw failureOf(`${name} could not be loaded; the next call tries again`, cause);
    }
  });
  const run = async (texts: string[]): Promise<ArrayLike<unknown>[]> => {
    const embed = await loaded();
    const vectors = await embed(texts).catch((cause: unknown) => {
      throw failureOf(`${name} failed on ${texts.length} texts`, cause);
    });
    return vectors.map(normalized);
  };
  return createBatchEmbedder({
    ...model,
    provider: name,
    async embedBatch(texts, signal) {
      await new Promise((resolve) => setTimeout(resolve));
      throwIfAborted(signal, LanguageModelError);
      // The library cannot be stopped. After an abort it finishes its batch, but the caller does not wait.
      return untilAborted(run(texts), signal, LanguageModelError);
    },
  });
}

function failureOf(what: string, cause: unknown): LanguageModelError {
  const words = cause instanceof Error ? cause.message : String(cause);
  return new LanguageModelError("provider_error", `${what}${quoteOf(words, [])}`, { cause });
}

/** Scales a vector to length 1. Returns a zero vector unchanged. */
function normalized(vector: ArrayLike<unknown>): ArrayLike<unknown> {
  const numbers = Array.from(vector, Number);
  const norm = Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 ? numbers : numbers.map((value) => value / norm);
}
