export {
  createOpenAiCompatibleModel,
  type OpenAiCompatibleOptions,
} from "./create-open-ai-compatible-model.ts";
export type { OpenAiPresetName } from "./presets.ts";
export type { ApiKey } from "../http/api-key.ts";
export type { StreamingModel } from "../http/create-wire-model.ts";
export type { EndpointOptions } from "../http/endpoint.ts";
