export {
  sessionStoreConformance,
  type ConformanceRule,
  type SessionStoreConformanceOptions,
} from "./session-store-conformance.ts";
