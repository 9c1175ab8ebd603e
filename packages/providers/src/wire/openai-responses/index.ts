export { fromResponsesItems } from "./from-responses-items.ts";
export type { ResponsesConversation, ResponsesItem } from "./responses-item.ts";
export { fromResponsesUsage } from "./responses-answer.ts";
export { toResponsesInput } from "./to-responses-items.ts";
export type { WireError, WireErrorCode } from "../wire-error.ts";
export type { WireLoss } from "../losses.ts";
