export { type AiSdkEmbedderOptions, createAiSdkEmbedder } from "./create-ai-sdk-embedder.ts";
export { type AiSdkModelOptions, createAiSdkModel } from "./create-ai-sdk-model.ts";
