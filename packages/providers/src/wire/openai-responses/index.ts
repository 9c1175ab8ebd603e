export { fromResponsesItems } from "./from-responses-items.ts";
export type { ResponsesConversation, ResponsesInputPart, ResponsesItem } from "./responses-item.ts";
export { fromResponsesAnswer, responsesFinishReason, responsesUsage } from "./responses-answer.ts";
export { fromResponsesTools, toResponsesToolChoice, toResponsesTools } from "./responses-tools.ts";
export { toResponsesInput, toResponsesItems } from "./to-responses-items.ts";
export { WireError, type WireErrorCode } from "../wire-error.ts";
export type { LossOptions, WireLoss } from "../losses.ts";
