import { type Embedder, LanguageModelError } from "@ccl/core";
import { loadOnce, throwIfAborted, untilAborted } from "@ccl/core/async";

import { quoteOf } from "../http/reported-error.ts";
import { createBatchEmbedder } from "./create-batch-embedder.ts";

/** Vectors of texts, in their order. */
type EmbedBatch = (texts: string[]) => Promise<readonly ArrayLike<unknown>[]>;

/** A model that runs in this process. */
export interface LocalModel {
  /** The library, the model and all that its vectors depend on. */
  name: string;
  dimensions: number;
  batchSize: number;
  load: () => Promise<EmbedBatch>;
}

/**
 * An embedder over a model in this process, with vectors of length 1: loaded by the first call, once for all, again only
 * after it failed. Before each batch timers and aborts get their turn, which computing keeps from them.
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
      // The library can't be stopped: after an abort it ends its batch, and no caller waits for it.
      return untilAborted(run(texts), signal, LanguageModelError);
    },
  });
}

function failureOf(what: string, cause: unknown): LanguageModelError {
  const words = cause instanceof Error ? cause.message : String(cause);
  return new LanguageModelError("provider_error", `${what}${quoteOf(words, [])}`, { cause });
}

/** At length 1; a vector of zeros stays as it is. */
function normalized(vector: ArrayLike<unknown>): ArrayLike<unknown> {
  const numbers = Array.from(vector, (value) => (typeof value === "number" ? value : NaN));
  const norm = Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 ? numbers : numbers.map((value) => value / norm);
}
