export {
  HistoryPlanner,
  type HistoryPlan,
  type PlannedCall,
  type PlannedItem,
} from "./decide/history-planner.ts";
export type {
  Decision,
  GatewayMode,
  PlanOptions,
  RestHint,
  ShownForm,
  ShownResult,
} from "./decide/plan-options.ts";
export {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GatewayPlan,
  type PassReason,
} from "./gateway/create-gateway.ts";
export type { RequestHeaders } from "./gateway/session-key.ts";
export {
  createMemoryDecisionStore,
  type DecisionStore,
  type PrunableDecisionStore,
} from "./gateway/decision-store.ts";
export { GatewayError, type GatewayErrorCode } from "./gateway-error.ts";
export type { HistoryItem, ItemKind } from "./history/history-item.ts";
export type { GatewayEdit } from "./json/gateway-edit.ts";
export { type CachePrice, cachePriceOf } from "./price/cache-price.ts";
