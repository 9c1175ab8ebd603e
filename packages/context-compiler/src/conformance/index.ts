export { sessionStoreConformance } from "./session-store-conformance.ts";
