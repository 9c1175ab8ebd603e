import { callUrl, type EndpointOptions } from "../http/endpoint.ts";
import type { Service } from "../http/service.ts";
import { ollamaCodeOf, readOllamaError } from "./ollama-error.ts";
import { ollama } from "./ollama-request.ts";

/** How Ollama is called and its errors are read. Only ollama.com gets `OLLAMA_API_KEY` by default. */
export function ollamaService(
  options: EndpointOptions & { baseUrl?: string | undefined },
): Service {
  const { baseUrl = "http://localhost:11434" } = options;
  const isHosted = callUrl(baseUrl, "").hostname === "ollama.com";
  return {
    provider: ollama,
    title: "Ollama",
    baseUrl,
    endpoint: options,
    keyVariable: options.apiKeyVariable ?? (isHosted ? "OLLAMA_API_KEY" : undefined),
    headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
    readError: readOllamaError,
    codeOf: ollamaCodeOf,
    requestIdHeaders: ["x-request-id"],
  };
}
