export type { AiSdkMessage } from "./ai-sdk-message.ts";
export { fromAiSdkUsage } from "./ai-sdk-answer.ts";
export { fromAiSdkMessages } from "./from-ai-sdk-messages.ts";
export { toAiSdkMessages, type AiSdkMessagesOptions } from "./to-ai-sdk-messages.ts";
export type { WireError, WireErrorCode } from "../wire-error.ts";
export type { WireLoss } from "../losses.ts";
