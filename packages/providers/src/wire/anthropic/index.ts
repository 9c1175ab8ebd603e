export type { AnthropicConversation, AnthropicMessage } from "./anthropic-message.ts";
export { fromAnthropicUsage } from "./anthropic-answer.ts";
export { fromAnthropicMessages } from "./from-anthropic-messages.ts";
export { toAnthropicMessages, type AnthropicMessagesOptions } from "./to-anthropic-messages.ts";
export type { WireError, WireErrorCode } from "../wire-error.ts";
export type { WireLoss } from "../losses.ts";
