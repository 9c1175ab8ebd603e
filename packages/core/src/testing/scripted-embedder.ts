import { createSha256 } from "../hash/sha256.ts";
import type { Embedder } from "../models/embedder.ts";

/** Options of a scripted embedder. */
export interface ScriptedEmbedderOptions {
  /** 64 by default. */
  dimensions?: number | undefined;
  /** Vectors for exactly these texts. The vector of any other text is computed from its words. */
  vectors?: Readonly<Record<string, readonly number[]>> | undefined;
}

/** An embedder that records its requests. */
export interface ScriptedEmbedder extends Embedder {
  /** The texts of every call so far, in order. */
  readonly requests: string[][];
}

/**
 * Creates an embedder without a model. A text's vector is the normalised sum of vectors hashed from
 * its lower-cased words. Equal texts have equal vectors, and texts with common words are closer.
 */
export function createScriptedEmbedder(options: ScriptedEmbedderOptions = {}): ScriptedEmbedder {
  const { dimensions = 64, vectors = {} } = options;
  const requests: string[][] = [];
  return {
    name: `scripted-${dimensions}`,
    dimensions,
    requests,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      requests.push(texts);
      return texts.map((text) => {
        const scripted = Object.hasOwn(vectors, text) ? vectors[text] : undefined;
        if (scripted === undefined) return hashedVector(text, dimensions);
        if (scripted.length === dimensions) return Float32Array.from(scripted);
        throw new RangeError(
          `The vector of ${JSON.stringify(text)} has ${scripted.length} numbers, not ${dimensions}.`,
        );
      });
    },
  };
}

function hashedVector(text: string, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    const hash = createSha256().update(word).digest();
    // Each word changes four components by 1 or -1.
    for (let index = 0; index < 16; index += 4) {
      const place = ((hash[index] ?? 0) + 256 * (hash[index + 1] ?? 0)) % dimensions;
      sum[place] = (sum[place] ?? 0) + ((hash[index + 2] ?? 0) < 128 ? 1 : -1);
    }
  }
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}
