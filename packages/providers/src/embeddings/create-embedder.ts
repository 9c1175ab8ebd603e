import type { Embedder } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";

import type { EndpointOptions } from "../http/endpoint.ts";
import { openCall } from "../http/open-call.ts";
import { runCall, serviceLimits } from "../http/run-call.ts";
import { type OpenAiAddress, openAiService } from "../openai-compatible/open-ai-service.ts";
import { createBatchEmbedder } from "./create-batch-embedder.ts";

/** Options of both HTTP embedders. */
export interface EmbedderOptions extends EndpointOptions {
  model: string;
  /** Length of each vector. The embedder rejects vectors of any other length. */
  dimensions: number;
  /** Maximum number of texts in a call. Default: 128. */
  batchSize?: number | undefined;
}

/** One provider's wire format for embeddings. */
export interface EmbeddingWire {
  path: string;
  toBody(texts: readonly string[]): JsonRecord;
  /** Returns the vectors in the order of the texts. Some may be missing. */
  readVectors(body: JsonRecord): unknown[];
}

/** Creates an embedder for one wire format. */
export function createEmbedder(
  options: EmbedderOptions & OpenAiAddress,
  { path, toBody, readVectors }: EmbeddingWire,
): Embedder {
  const { model, dimensions, batchSize = 128 } = options;
  const service = openAiService(options);
  const { provider } = service;
  return createBatchEmbedder({
    name: `${provider}/${model}/${dimensions}`,
    provider,
    dimensions,
    batchSize,
    embedBatch: (texts, caller) =>
      runCall({ ...serviceLimits(service, path), signal: caller }, async (signal) => {
        const call = { path, body: toBody(texts), asksForFormat: false, signal };
        const opened = await openCall(service, call);
        const vectors = readVectors(await opened.json());
        return vectors.map((vector) => (Array.isArray(vector) ? vector : []));
      }),
  });
}
