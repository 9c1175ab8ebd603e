export { fromOpenAiMessages } from "./from-open-ai-messages.ts";
export type { OpenAiMessage, OpenAiToolCall } from "./open-ai-message.ts";
export { toOpenAiMessages, type OpenAiMessagesOptions } from "./to-open-ai-messages.ts";
export { WireError, type WireErrorCode } from "../wire-error.ts";
export type { LossOptions, WireLoss } from "../losses.ts";
