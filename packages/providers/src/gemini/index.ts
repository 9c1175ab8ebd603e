export { createGeminiModel, type GeminiOptions } from "./create-gemini-model.ts";
