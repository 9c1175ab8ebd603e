import type { ModelCapabilities, StreamingModel } from "@ccl/core";

import { createWireModel } from "../http/create-wire-model.ts";
import type { EndpointOptions } from "../http/endpoint.ts";
import { openAiService } from "../openai-compatible/open-ai-service.ts";
import { fromResponsesAnswer } from "../wire/openai-responses/responses-answer.ts";
import { readResponsesError, responsesCodeOf } from "./responses-error.ts";
import { toResponsesBody } from "./responses-request.ts";
import { createResponsesReader } from "./responses-stream.ts";

/** Where the model is. */
export interface OpenAiResponsesOptions extends EndpointOptions {
  /** Ends in `/v1`. Default: OpenAI's. */
  baseUrl?: string | undefined;
  model: string;
  /** Name in traces and errors. Default: `openai-responses`. */
  provider?: string | undefined;
  capabilities?: ModelCapabilities | undefined;
}

/**
 * A model behind OpenAI's `/v1/responses`. The conversation is sent whole and not stored there: the reasoning of
 * reasoning models comes encrypted in `providerMetadata["openai-responses"].reasoning`, and goes back with the message
 * that carries it. Keys are found as `createOpenAiCompatibleModel` finds them.
 * @throws LanguageModelError `invalid_request` for an address that can't be called.
 */
export function createOpenAiResponsesModel(options: OpenAiResponsesOptions): StreamingModel {
  const { model, capabilities } = options;
  return createWireModel(
    {
      ...openAiService({ ...options, provider: options.provider ?? "openai-responses" }),
      readError: readResponsesError,
      codeOf: responsesCodeOf,
    },
    {
      path: "/responses",
      absent: ["top_k", "frequency_penalty", "presence_penalty", "seed", "stop"],
      toBody: (request, call) => toResponsesBody(request, model, call),
      toResponse: fromResponsesAnswer,
      createReader: createResponsesReader,
    },
    { modelId: model, capabilities: { tools: true, promptCache: "automatic", ...capabilities } },
  );
}
