export {
  createOpenAiResponsesModel,
  type OpenAiResponsesOptions,
} from "./create-open-ai-responses-model.ts";
export type { ApiKey } from "../http/api-key.ts";
export type { StreamingModel } from "../http/create-wire-model.ts";
export type { EndpointOptions } from "../http/endpoint.ts";
