import type { RunResult } from "../events/run-result.ts";

/** Executes a run from where it stopped, by its store. Never rejects. Ends early if another worker has the lease. */
export type RunDriver = (runId: string) => Promise<RunResult | undefined>;

/**
 * Where runs are executed. The local executor calls the driver in this process. A durable one, such as a workflow
 * engine, may call it in another process, and calls it again after a crash. A repeated call is safe.
 */
export interface RunExecutor {
  /** True if `submit` calls the driver in this process. The engine then passes the run's lease to it. */
  readonly isLocal: boolean;
  /**
   * Called once by the engine, before the first run. `abort` aborts a run that this process follows, and ignores any
   * other run.
   */
  attach(driver: RunDriver, abort: (runId: string, reason?: string) => void): void;
  /**
   * Submits the run. Resolves once the run is certain to be executed. `isResumed`: the run has lost its worker. This
   * process then executes it in any case if the executor is local.
   */
  submit(runId: string, isResumed: boolean): Promise<void>;
}
