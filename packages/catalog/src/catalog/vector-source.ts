import { CatalogError } from "../catalog-error.ts";
import { throwIfAborted, withTimeout } from "@ccl/core/async";
import type { Clock, Embedder } from "@ccl/core";
import type { Records } from "@ccl/records";

import { loadVectors, saveVectors } from "../store/stored-vectors.ts";

/** Number of texts in one embedder call. */
const batchSize = 64;
/** Time to wait before calling a failed embedder again. */
const restMs = 30_000;

/** The embedder and the store for its vectors. */
export interface VectorSourceOptions {
  embedder: Embedder;
  records: Records;
  timeoutMs: number;
  clock: Clock;
}

/** Vectors by text. Omits texts that could not be embedded. */
interface EmbeddedTexts {
  vectors: Map<string, Float32Array>;
  /** The reason why some texts are missing. */
  failure?: string | undefined;
}

/**
 * Caches an embedder's vectors by text. Limits its time, so that it can neither block a caller nor make a call
 * fail.
 */
export interface VectorSource {
  /** Returns the stored vectors only. */
  load(texts: readonly string[], signal?: AbortSignal): Promise<EmbeddedTexts>;
  /**
   * Returns stored vectors, and embeds and stores the rest. If `isKept` is false, embeds all texts without using the
   * records. Rejects with `aborted`, and with errors of the records.
   */
  embed(
    texts: readonly string[],
    options?: { signal?: AbortSignal | undefined; isKept?: boolean | undefined },
  ): Promise<EmbeddedTexts>;
}

/** Stores vectors by the SHA-256 of the text, separately for each embedder. */
export function createVectorSource({
  embedder,
  records,
  timeoutMs,
  clock,
}: VectorSourceOptions): VectorSource {
  let restUntil = Number.NEGATIVE_INFINITY;
  let lastFailure = "";
  const space = `${embedder.name}/${embedder.dimensions}`;
  const load = async (all: readonly string[], signal?: AbortSignal): Promise<EmbeddedTexts> => {
    const texts = [...new Set(all)];
    const found = await loadVectors(records, { embedder: space, texts }, signal);
    const sound = [...found].filter(([, vector]) => isSound(vector, embedder.dimensions));
    return { vectors: new Map(sound) };
  };
  return {
    load,
    async embed(texts, { signal, isKept = true } = {}) {
      const { vectors }: EmbeddedTexts = isKept
        ? await load(texts, signal)
        : { vectors: new Map() };
      const missing = [...new Set(texts)].filter((text) => !vectors.has(text));
      if (missing.length > 0 && clock.now() < restUntil) return { vectors, failure: lastFailure };
      for (let start = 0; start < missing.length; start += batchSize) {
        const batch = missing.slice(start, start + batchSize);
        const outcome = await embedBatch(batch, { embedder, timeoutMs, signal });
        throwIfAborted(signal, CatalogError);
        if (typeof outcome === "string") {
          restUntil = clock.now() + restMs;
          lastFailure = outcome;
          return { vectors, failure: outcome };
        }
        const found = new Map(outcome.map((vector, index) => [batch[index] ?? "", vector]));
        for (const [text, vector] of found) vectors.set(text, vector);
        if (isKept) await saveVectors(records, { embedder: space, vectors: found }, signal);
      }
      return { vectors };
    },
  };
}

/** Returns the vectors of a batch, or the reason why there are none. */
async function embedBatch(
  texts: string[],
  {
    embedder,
    timeoutMs,
    signal,
  }: { embedder: Embedder; timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Float32Array[] | string> {
  const late = new Error();
  try {
    const vectors = await withTimeout(async (stop) => embedder.embed(texts, { signal: stop }), {
      timeoutMs,
      signal,
      onTimeout: () => late,
    });
    if (!Array.isArray(vectors) || vectors.length !== texts.length)
      return "the embedder gave another number of vectors";
    const isGood = vectors.every((vector) => isSound(vector, embedder.dimensions));
    return isGood
      ? vectors
      : `the embedder gave vectors that are not ${embedder.dimensions} finite numbers`;
  } catch (error) {
    if (error === late) return `the embedder did not answer within ${timeoutMs} ms`;
    return `the embedder failed (${error instanceof Error ? error.name : "unknown"})`;
  }
}

function isSound(vector: unknown, dimensions: number): boolean {
  return (
    vector instanceof Float32Array && vector.length === dimensions && vector.every(Number.isFinite)
  );
}
