export { HistoryPlanner, type HistoryPlan, type PlannedCall } from "./decide/history-planner.ts";
export type {
  Decision,
  GatewayMode,
  PlanOptions,
  ShownForm,
  ShownResult,
} from "./decide/plan-options.ts";
export {
  createGateway,
  type Gateway,
  type GatewayEdit,
  type GatewayOptions,
  type GatewayPlan,
  type PassReason,
  type RequestHeaders,
} from "./gateway/create-gateway.ts";
export { createMemoryDecisionStore, type DecisionStore } from "./gateway/decision-store.ts";
export { GatewayError, type GatewayErrorCode } from "./gateway-error.ts";
export type { HistoryItem, ItemKind } from "./history/history-item.ts";
export { type CachePrice, cachePriceOf } from "./price/cache-price.ts";
