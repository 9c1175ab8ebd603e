export type { Decision, GatewayMode } from "./decide/plan-options.ts";
export {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GatewayPlan,
} from "./gateway/create-gateway.ts";
export { decidedSessions, forgetDecisions, readDecisions } from "./decide/kept-decisions.ts";
export { GatewayError } from "./gateway-error.ts";
export { cachePriceOf, promptPrice } from "./price/cache-price.ts";
