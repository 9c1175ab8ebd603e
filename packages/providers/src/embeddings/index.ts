export {
  createEnergeticEmbedder,
  type EnergeticEmbedderOptions,
  type EnergeticModel,
} from "./create-energetic-embedder.ts";
export { createOllamaEmbedder, type OllamaEmbedderOptions } from "./create-ollama-embedder.ts";
export {
  createOpenAiCompatibleEmbedder,
  type OpenAiCompatibleEmbedderOptions,
} from "./create-open-ai-compatible-embedder.ts";
export {
  createTransformersEmbedder,
  type TransformersEmbedderOptions,
  type TransformersExtractor,
  type TransformersLoadOptions,
  type TransformersPooling,
  type TransformersPrecision,
  type TransformersTensor,
} from "./create-transformers-embedder.ts";
export type { EmbedderOptions } from "./create-embedder.ts";
export type { ApiKey } from "../http/api-key.ts";
export type { EndpointOptions } from "../http/endpoint.ts";
