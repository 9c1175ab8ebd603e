export { createOllamaModel, type OllamaOptions } from "./create-ollama-model.ts";
