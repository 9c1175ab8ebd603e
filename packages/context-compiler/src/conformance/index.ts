export { sessionStoreConformance, type ConformanceRule } from "./session-store-conformance.ts";
export type { SessionStoreConformanceOptions } from "./store-rule.ts";
