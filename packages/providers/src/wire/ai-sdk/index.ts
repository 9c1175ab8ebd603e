export type {
  AiSdkFilePart,
  AiSdkJson,
  AiSdkMessage,
  AiSdkOptioned,
  AiSdkProviderOptions,
  AiSdkReasoningPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolOutput,
  AiSdkToolResultPart,
} from "./ai-sdk-message.ts";
export { fromAiSdkMessages } from "./from-ai-sdk-messages.ts";
export {
  toAiSdkMessages,
  type AiSdkCacheValue,
  type AiSdkMessagesOptions,
} from "./to-ai-sdk-messages.ts";
export { WireError, type WireErrorCode } from "../wire-error.ts";
