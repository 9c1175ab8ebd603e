import type { RunEvent } from "../events/run-event.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { OperationOutcome } from "../operation/operation-outcome.ts";
import type { RunResult } from "../run/run-result.ts";
import type { RunInput } from "./run-store.ts";

/** Carries a run to its end from wherever its store says that it stands. Never rejects; ends early where another has the lease. */
export type RunDriver = (runId: string) => Promise<RunResult | undefined>;

/** One operation in one hook; the same in every process. */
export interface OperationKey {
  hook: Hook;
  operationId: string;
}

/** One call of an operation's handler. */
export interface OperationAttempt extends OperationKey {
  runId: string;
  /** From 1. */
  attempt: number;
}

/** What an executor may ask of its engine. */
export interface ExecutorEngine {
  /**
   * What a run is going to do: the hook before the main call first, each in commit order. What is left out is not among
   * it. Rejects with OperationsError `invalid_profile`.
   */
  operationsOf(input: RunInput): Promise<OperationKey[]>;
  /** Ends a run that this process has a hand on; of another one it does nothing. */
  abort(runId: string, reason?: string): void;
}

/**
 * Where runs are carried out. The local one calls the driver in this process; a durable one, such as a workflow
 * engine's, may call it elsewhere, and calls it again for what a crash has left. Calling it twice is safe.
 */
export interface RunExecutor {
  /** True where `submit` calls the driver in this very process; then the run's lease goes over to it. */
  readonly isLocal: boolean;
  /** True where it resumes runs of dead workers by itself, so that the engine does not look for them. Default false. */
  readonly recoversRuns?: boolean | undefined;
  /** Called once by the engine, before the first run. */
  attach(driver: RunDriver, engine: ExecutorEngine): void;
  /** Has the run carried out; resolves once that is certain to happen. */
  submit(runId: string): Promise<void>;
  /**
   * Calls `execute` once, where it sees fit, and settles as that does. That the attempt begins, and what its outcome
   * comes to, is the engine's; the attempt's time is that of `execute`, which rejects where the run has been stopped
   * meanwhile. Default: at once.
   */
  executeAttempt?(
    attempt: OperationAttempt,
    execute: () => Promise<OperationOutcome>,
  ): Promise<OperationOutcome>;
  /** Called with each stored event of a run that this process follows, in order. What it throws is reported. */
  onEvent?(event: RunEvent): void;
}
