import type { RunResult } from "../run/run-result.ts";

/** Carries a run to its end from wherever its store says that it stands. Never rejects; ends early where another has the lease. */
export type RunDriver = (runId: string) => Promise<RunResult | undefined>;

/**
 * Where runs are carried out. The local one calls the driver in this process; a durable one, such as a workflow
 * engine's, may call it elsewhere, and calls it again for what a crash has left. Calling it twice is safe.
 */
export interface RunExecutor {
  /** True where `submit` calls the driver in this very process; then the run's lease goes over to it. */
  readonly isLocal: boolean;
  /** Called once by the engine, before the first run. */
  attach(driver: RunDriver): void;
  /** Has the run carried out; resolves once that is certain to happen. */
  submit(runId: string): Promise<void>;
}
