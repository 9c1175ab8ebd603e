import { callUrl, type EndpointOptions } from "../http/endpoint.ts";
import type { Service } from "../http/open-call.ts";
import { openAiCodeOf, readOpenAiError } from "./open-ai-error.ts";

/** Where a server that speaks OpenAI's format is. */
export interface OpenAiAddress extends EndpointOptions {
  baseUrl?: string | undefined;
  provider?: string | undefined;
}

/** How such a server is called and its errors are read. Only OpenAI itself gets `OPENAI_API_KEY` by default. */
export function openAiService(options: OpenAiAddress): Service & { isOpenAi: boolean } {
  const { baseUrl = "https://api.openai.com/v1", provider = "openai-compatible" } = options;
  const isOpenAi = callUrl(baseUrl, "").hostname === "api.openai.com";
  return {
    provider,
    baseUrl,
    endpoint: options,
    keyVariable: options.apiKeyVariable ?? (isOpenAi ? "OPENAI_API_KEY" : undefined),
    headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
    readError: readOpenAiError,
    codeOf: openAiCodeOf,
    requestIdHeaders: ["x-request-id"],
    isOpenAi,
  };
}
