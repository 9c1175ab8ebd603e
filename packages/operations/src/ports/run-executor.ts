import type { RunEvent } from "../events/run-event.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { OperationOutcome } from "../operation/operation-outcome.ts";
import type { RunResult } from "../events/run-result.ts";
import type { RunInput } from "./run-store.ts";

/** Executes a run from where it stopped, by its store. Never rejects. Ends early if another worker has the lease. */
export type RunDriver = (runId: string) => Promise<RunResult | undefined>;

/** Identifies one operation in one hook. The same in every process. */
export interface OperationKey {
  hook: Hook;
  operationId: string;
}

/** One call of an operation's handler. */
export interface OperationAttempt extends OperationKey {
  runId: string;
  /** Counts from 1. */
  attempt: number;
}

/** What an executor may use of its engine. */
export interface ExecutorEngine {
  /**
   * The operations that a run is going to execute: those before the main call first, each hook in commit order.
   * Operations that are left out are not included. Rejects with OperationsError `invalid_profile`.
   */
  operationsOf(input: RunInput): Promise<OperationKey[]>;
  /** Aborts a run that this process follows. Ignores any other run. */
  abort(runId: string, reason?: string): void;
}

/**
 * Where runs are executed. The local executor calls the driver in this process. A durable one, such as a workflow
 * engine, may call it in another process, and calls it again after a crash. A repeated call is safe.
 */
export interface RunExecutor {
  /** True if `submit` calls the driver in this process. The engine then passes the run's lease to it. */
  readonly isLocal: boolean;
  /** True if the executor resumes runs of dead workers, so that the engine need not look for them. False by default. */
  readonly recoversRuns?: boolean | undefined;
  /** Called once by the engine, before the first run. */
  attach(driver: RunDriver, engine: ExecutorEngine): void;
  /** Submits the run. Resolves once the run is certain to be executed. */
  submit(runId: string): Promise<void>;
  /**
   * Calls `execute` once, when it chooses, and settles as `execute` does. The engine announces the attempt and
   * evaluates its outcome. The attempt's time limit covers `execute` only, which rejects if the run was stopped
   * before. By default the engine calls it immediately.
   */
  executeAttempt?(
    attempt: OperationAttempt,
    execute: () => Promise<OperationOutcome>,
  ): Promise<OperationOutcome>;
  /** Called with each stored event of a run that this process follows, in order. Its errors are reported. */
  onEvent?(event: RunEvent): void;
}
