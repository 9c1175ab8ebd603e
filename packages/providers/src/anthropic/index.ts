export { type AnthropicOptions, createAnthropicModel } from "./create-anthropic-model.ts";
