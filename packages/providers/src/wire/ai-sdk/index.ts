export type {
  AiSdkJson,
  AiSdkMessage,
  AiSdkProviderOptions,
  AiSdkTextPart,
  AiSdkToolResultPart,
} from "./ai-sdk-message.ts";
export {
  fromAiSdkAnswer,
  fromAiSdkFinishReason,
  fromAiSdkUsage,
  toAiSdkAnswer,
  toAiSdkFinishReason,
  toAiSdkUsage,
} from "./ai-sdk-answer.ts";
export {
  fromAiSdkToolChoice,
  fromAiSdkTools,
  toAiSdkToolChoice,
  toAiSdkTools,
} from "./ai-sdk-tools.ts";
export type { AiSdkVersion } from "./file-forms.ts";
export { fromAiSdkMessages } from "./from-ai-sdk-messages.ts";
export { toAiSdkMessages, type AiSdkMessagesOptions } from "./to-ai-sdk-messages.ts";
export { WireError, type WireErrorCode } from "../wire-error.ts";
export type { LossOptions, WireLoss } from "../losses.ts";
