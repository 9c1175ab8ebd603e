import type { RunResult } from "../events/run-event.ts";

/** Executes a run from where its store says it stopped. Never rejects. Ends early if another worker has the lease. */
export type RunDriver = (runId: string) => Promise<RunResult | undefined>;

/**
 * Determines where runs are executed. `submit` leads to a call of the driver in this process. A durable executor, such
 * as a workflow engine, calls it again after a crash, in any process. Repeated calls are safe.
 */
export interface RunExecutor {
  /**
   * Called once by the engine, before the first run. `abort` aborts a run that this process follows, and ignores other
   * runs.
   */
  attach(driver: RunDriver, abort: (runId: string, reason?: string) => void): void;
  /**
   * Submits the run. Resolves once its execution is guaranteed. If `isResumed`, the run has lost its worker, and this
   * process executes it in any case.
   */
  submit(runId: string, isResumed: boolean): Promise<void>;
}
