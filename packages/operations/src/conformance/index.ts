export { chatStoreConformance, conversationStoreConformance } from "./chat-store-conformance.ts";
export type { RunExecutorConformanceOptions } from "./executor-fixture.ts";
export { runExecutorConformance } from "./run-executor-conformance.ts";
