import type { Embedder } from "@ccl/core";

import { callUrl } from "../http/endpoint.ts";
import { arrayAt, defined, numberAt } from "../json/json-record.ts";
import { openAiCodeOf, readOpenAiFault } from "../openai-compatible/open-ai-fault.ts";
import { createEmbedder, type EmbedderOptions } from "./create-embedder.ts";

/** Where the model is, and what its server is told. */
export interface OpenAiCompatibleEmbedderOptions extends EmbedderOptions {
  /** Ends in `/v1` for most servers. Default: OpenAI's. */
  baseUrl?: string;
  /** First part of the embedder's name. Default: `openai-compatible`. */
  provider?: string;
  /** Asks the server for `dimensions`; only for models that can shorten their vectors. Default: false. */
  requestsDimensions?: boolean;
}

/** An embedder behind `/embeddings`. Keys are found as `createOpenAiCompatibleModel` finds them. */
export function createOpenAiCompatibleEmbedder(options: OpenAiCompatibleEmbedderOptions): Embedder {
  const { baseUrl = "https://api.openai.com/v1", model, provider = "openai-compatible" } = options;
  const isOpenAi = callUrl(baseUrl, "").hostname === "api.openai.com";
  const dimensions = options.requestsDimensions === true ? options.dimensions : undefined;
  return createEmbedder(
    {
      provider,
      baseUrl,
      endpoint: options,
      keyVariable: options.apiKeyVariable ?? (isOpenAi ? "OPENAI_API_KEY" : undefined),
      headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
      readFault: readOpenAiFault,
      codeOf: openAiCodeOf,
      requestIdHeaders: ["x-request-id"],
    },
    {
      path: "/embeddings",
      toBody: (texts) => defined({ model, input: texts, encoding_format: "float", dimensions }),
      readVectors(body) {
        const rows = arrayAt(body, "data").map((row, place) => ({
          index: numberAt(row, "index") ?? place,
          vector: arrayAt(row, "embedding"),
        }));
        return rows.sort((left, right) => left.index - right.index).map(({ vector }) => vector);
      },
    },
    options,
  );
}
