export {
  createEnergeticEmbedder,
  type EnergeticEmbedderOptions,
} from "./create-energetic-embedder.ts";
export { createOllamaEmbedder, type OllamaEmbedderOptions } from "./create-ollama-embedder.ts";
export {
  createOpenAiCompatibleEmbedder,
  type OpenAiCompatibleEmbedderOptions,
} from "./create-open-ai-compatible-embedder.ts";
export {
  createTransformersEmbedder,
  type TransformersEmbedderOptions,
} from "./create-transformers-embedder.ts";
