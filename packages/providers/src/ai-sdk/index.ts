export type { AiSdkEmbeddingModel, AiSdkLanguageModel } from "./ai-sdk-types.ts";
export { type AiSdkEmbedderOptions, createAiSdkEmbedder } from "./create-ai-sdk-embedder.ts";
export { type AiSdkModelOptions, createAiSdkModel } from "./create-ai-sdk-model.ts";
export type { StreamingModel } from "../http/create-wire-model.ts";
