export { fromResponsesItems } from "./from-responses-items.ts";
export type { ResponsesConversation, ResponsesItem } from "./responses-item.ts";
export { fromResponsesAnswer, fromResponsesUsage, toResponsesAnswer } from "./responses-answer.ts";
export {
  fromResponsesToolChoice,
  fromResponsesTools,
  toResponsesToolChoice,
  toResponsesTools,
} from "./responses-tools.ts";
export { toResponsesInput, toResponsesItems } from "./to-responses-items.ts";
export { WireError, type WireErrorCode } from "../wire-error.ts";
export type { WireLoss } from "../losses.ts";
