export type {
  AiSdkJson,
  AiSdkMessage,
  AiSdkProviderOptions,
  AiSdkTextPart,
  AiSdkToolResultPart,
} from "./ai-sdk-message.ts";
export { fromAiSdkMessages } from "./from-ai-sdk-messages.ts";
export { toAiSdkMessages, type AiSdkMessagesOptions } from "./to-ai-sdk-messages.ts";
export { WireError, type WireErrorCode } from "../wire-error.ts";
