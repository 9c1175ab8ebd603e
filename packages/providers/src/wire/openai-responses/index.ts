export { fromResponsesItems } from "./from-responses-items.ts";
export type { ResponsesConversation, ResponsesInputPart, ResponsesItem } from "./responses-item.ts";
export {
  fromResponsesAnswer,
  fromResponsesFinishReason,
  fromResponsesUsage,
  toResponsesAnswer,
  toResponsesFinishReason,
  toResponsesUsage,
} from "./responses-answer.ts";
export {
  fromResponsesToolChoice,
  fromResponsesTools,
  toResponsesToolChoice,
  toResponsesTools,
} from "./responses-tools.ts";
export { toResponsesInput, toResponsesItems } from "./to-responses-items.ts";
export { WireError, type WireErrorCode } from "../wire-error.ts";
export type { LossOptions, WireLoss } from "../losses.ts";
