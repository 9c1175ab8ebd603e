export type { RunExecutorConformanceOptions } from "./executor-fixture.ts";
export { runExecutorConformance } from "./run-executor-conformance.ts";
