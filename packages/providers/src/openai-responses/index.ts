export {
  createOpenAiResponsesModel,
  type OpenAiResponsesOptions,
} from "./create-open-ai-responses-model.ts";
