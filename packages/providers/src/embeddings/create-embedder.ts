import { type Embedder, LanguageModelError } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";

import type { EndpointOptions } from "../http/endpoint.ts";
import { openCall } from "../http/open-call.ts";
import { runCall, serviceLimits } from "../http/run-call.ts";
import type { Service } from "../http/service.ts";

/** What both embedders take. */
export interface EmbedderOptions extends EndpointOptions {
  model: string;
  /** Length of each vector; an answer of another length is an error. */
  dimensions: number;
  /** Most texts in one call. Default: 128. */
  batchSize?: number | undefined;
}

/** One provider's wire format for embeddings. */
export interface EmbeddingWire {
  path: string;
  toBody(texts: readonly string[]): JsonRecord;
  /** The vectors in the order of the texts, as far as the body has them. */
  readVectors(body: JsonRecord): unknown[];
}

/** An embedder over one wire format: batches one after the other, the order of the texts kept. */
export function createEmbedder(
  service: Service,
  wire: EmbeddingWire,
  options: EmbedderOptions,
): Embedder {
  const { model, dimensions, batchSize = 128 } = options;
  if (!Number.isInteger(batchSize) || batchSize < 1) {
    throw new LanguageModelError(
      "invalid_request",
      `batchSize is ${batchSize}; give a whole number above 0.`,
    );
  }
  const embedBatch = (
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> =>
    runCall({ ...serviceLimits(service, wire.path), signal }, async (attemptSignal) => {
      const call = { path: wire.path, body: wire.toBody(texts), asksForFormat: false };
      const opened = await openCall(service, { ...call, signal: attemptSignal });
      const vectors = wire.readVectors(await opened.json());
      const { provider } = service;
      return checkedVectors(vectors, { provider, count: texts.length, dimensions });
    });
  return {
    name: `${service.provider}/${model}/${dimensions}`,
    dimensions,
    async embed(texts, { signal } = {}) {
      const all: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += batchSize) {
        const vectors = await embedBatch(texts.slice(start, start + batchSize), signal);
        for (const vector of vectors) all.push(vector);
      }
      return all;
    },
  };
}

function checkedVectors(
  vectors: readonly unknown[],
  expected: { provider: string; count: number; dimensions: number },
): Float32Array[] {
  const { provider, count, dimensions } = expected;
  if (vectors.length !== count) {
    const message = `${provider} gave ${vectors.length} vectors for ${count} texts.`;
    throw new LanguageModelError("provider_error", message);
  }
  return vectors.map((vector) => {
    const numbers = Array.isArray(vector) ? vector.filter((value) => Number.isFinite(value)) : [];
    if (numbers.length !== dimensions || !Array.isArray(vector) || vector.length !== dimensions) {
      const message = `${provider} gave a vector of ${numbers.length} numbers; \`dimensions\` says ${dimensions}.`;
      throw new LanguageModelError("provider_error", message);
    }
    return Float32Array.from(numbers);
  });
}
