import { withoutUndefined } from "@ccl/core/json";
import type { ModelCapabilities, StreamingModel } from "@ccl/core";

import { createWireModel } from "../http/create-wire-model.ts";
import { callUrl, type EndpointOptions } from "../http/endpoint.ts";
import { fromGeminiAnswer } from "../wire/gemini/gemini-answer.ts";
import { gemini } from "../wire/gemini/to-gemini-contents.ts";
import { geminiCodeOf, readGeminiError } from "./gemini-error.ts";
import { toGeminiBody } from "./gemini-request.ts";
import { createGeminiReader } from "./gemini-stream.ts";

/** Where the model is. */
export interface GeminiOptions extends EndpointOptions {
  /** Without `/v1beta`. Default: Google's. */
  baseUrl?: string | undefined;
  /** Such as `gemini-3.8-flash`. */
  model: string;
  capabilities?: ModelCapabilities | undefined;
}

const host = "generativelanguage.googleapis.com";

/**
 * A model behind Gemini's `generateContent`. Signatures of thoughts stand in `providerMetadata.gemini` of calls and answers,
 * and go back with the messages that carry them. Without `apiKey` the key is read from `GEMINI_API_KEY` for Google itself.
 * @throws LanguageModelError `invalid_request` for an address that can't be called.
 */
export function createGeminiModel(options: GeminiOptions): StreamingModel {
  const { baseUrl = `https://${host}`, model, capabilities } = options;
  const path = `/v1beta/models/${encodeURIComponent(model.replace(/^models\//, ""))}`;
  return createWireModel(
    {
      provider: gemini,
      title: "Gemini",
      baseUrl,
      endpoint: options,
      keyVariable: callUrl(baseUrl, "").hostname === host ? "GEMINI_API_KEY" : undefined,
      headers: (key) => withoutUndefined({ "x-goog-api-key": key }),
      readError: readGeminiError,
      codeOf: geminiCodeOf,
      requestIdHeaders: [],
    },
    {
      path: `${path}:generateContent`,
      streamPath: `${path}:streamGenerateContent?alt=sse`,
      toBody: (request, { report }) => toGeminiBody(request, model, report),
      toResponse: fromGeminiAnswer,
      createReader: createGeminiReader,
    },
    { modelId: model, capabilities: { tools: true, promptCache: "automatic", ...capabilities } },
  );
}
