import { type Embedder, LanguageModelError } from "@ccl/core";
import { loadOnce, throwIfAborted, untilAborted } from "@ccl/core/async";

import { quoteOf } from "../http/reported-error.ts";

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
 * An embedder over a model in this process: loaded by the first call, once for all, again only after it failed. Batches run
 * one after the other, and between two of them timers and aborts get their turn, which computing keeps from them.
 */
export function createLocalEmbedder({ name, dimensions, batchSize, load }: LocalModel): Embedder {
  for (const [option, value] of Object.entries({ dimensions, batchSize })) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new LanguageModelError(
      "invalid_request",
      `${option} is ${value}; give a whole number above 0.`,
    );
  }
  const loaded = loadOnce(async () => {
    try {
      return await load();
    } catch (cause) {
      throw failureOf(`${name} could not be loaded; the next call tries again`, cause);
    }
  });
  return {
    name,
    dimensions,
    async embed(texts, { signal } = {}) {
      const all: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += batchSize) {
        if (start > 0) await new Promise((resolve) => setTimeout(resolve));
        const batch = texts.slice(start, start + batchSize);
        const run = async (): Promise<Float32Array[]> => {
          const embedBatch = await loaded();
          const vectors = await embedBatch(batch).catch((cause: unknown) => {
            throw failureOf(`${name} failed on ${batch.length} texts`, cause);
          });
          return checkedVectors(vectors, { name, count: batch.length, dimensions });
        };
        throwIfAborted(signal, LanguageModelError);
        // The library can't be stopped: after an abort it ends its batch, and no caller waits for it.
        for (const vector of await untilAborted(run(), signal, LanguageModelError))
          all.push(vector);
      }
      return all;
    },
  };
}

function failureOf(what: string, cause: unknown): LanguageModelError {
  const words = cause instanceof Error ? cause.message : String(cause);
  return new LanguageModelError("provider_error", `${what}${quoteOf(words, [])}`, { cause });
}

/** The vectors at length 1; one of zeros stays as it is. */
function checkedVectors(
  vectors: readonly ArrayLike<unknown>[],
  { name, count, dimensions }: { name: string; count: number; dimensions: number },
): Float32Array[] {
  if (vectors.length !== count) {
    throw new LanguageModelError(
      "provider_error",
      `${name} gave ${vectors.length} vectors for ${count} texts.`,
    );
  }
  return vectors.map((vector) => {
    if (vector.length !== dimensions) {
      const message = `${name} gave a vector of ${vector.length} numbers; \`dimensions\` says ${dimensions}.`;
      throw new LanguageModelError("provider_error", message);
    }
    const numbers = Float32Array.from(vector, (value) => (typeof value === "number" ? value : NaN));
    let squares = 0;
    for (const value of numbers) squares += value * value;
    const norm = Math.sqrt(squares);
    if (!Number.isFinite(norm)) {
      throw new LanguageModelError(
        "provider_error",
        `${name} gave a vector with a value that is not a finite number.`,
      );
    }
    return norm === 0 ? numbers : numbers.map((value) => value / norm);
  });
}
