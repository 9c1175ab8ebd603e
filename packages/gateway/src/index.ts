export { HistoryPlanner } from "./decide/history-planner.ts";
export { cachePriceOf } from "./price/cache-price.ts";
