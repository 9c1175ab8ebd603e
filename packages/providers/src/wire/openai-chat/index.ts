export { fromOpenAiMessages } from "./from-open-ai-messages.ts";
export { fromOpenAiUsage } from "./open-ai-answer.ts";
export type { OpenAiMessage } from "./open-ai-message.ts";
export { toOpenAiMessages, type OpenAiMessagesOptions } from "./to-open-ai-messages.ts";
export type { WireError, WireErrorCode } from "../wire-error.ts";
export type { WireLoss } from "../losses.ts";
