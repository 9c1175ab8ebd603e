export { sessionStoreConformance } from "./session-store-conformance.ts";
export type { SessionStoreHooks } from "./store-rule.ts";
