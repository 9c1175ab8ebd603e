export { createOllamaEmbedder, type OllamaEmbedderOptions } from "./create-ollama-embedder.ts";
export {
  createOpenAiCompatibleEmbedder,
  type OpenAiCompatibleEmbedderOptions,
} from "./create-open-ai-compatible-embedder.ts";
export type { EmbedderOptions } from "./create-embedder.ts";
export type { ApiKey } from "../http/api-key.ts";
export type { EndpointOptions } from "../http/endpoint.ts";
