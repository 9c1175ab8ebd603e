export {
  createOpenAiCompatibleModel,
  type OpenAiCompatibleOptions,
} from "./create-open-ai-compatible-model.ts";
