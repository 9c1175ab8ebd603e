import type { Hook } from "../operation/operation-definition.ts";
import type { RunPlan } from "./plan-run.ts";
import type {
  FailedDetails,
  FailedType,
  RunFinishReason,
  RunStatus,
} from "../events/run-result.ts";
import type {
  OperationFailure,
  OperationStatus,
  SkippedReason,
} from "../operation/operation-failure.ts";

/** Why a run must end early. */
export type StopCause = "user_abort" | "deadline";

/** How far an operation has come. */
type OperationProgress = "waiting" | "ready" | "running" | OperationStatus;

/** The worst outcome among an operation's dependencies. With `condition`, a required operation does not fail. */
export type Block = "nothing" | "condition" | "failure";

/** The stage of a run. Between the announced phases it waits for commits. */
export type RunStage =
  | "planning"
  | "before_main_llm"
  | "commit_before"
  | "main_llm"
  | "after_main_llm"
  | "commit_after"
  | "finished";

/** The progress of one operation and of its dependencies. */
export interface OperationState {
  progress: OperationProgress;
  /** How many dependencies have not ended. */
  waitingFor: number;
  blockedBy: Block;
  /** True if a condition skipped it, its own or that of a dependency. */
  isExempt: boolean;
}

/** All state that decides the next step. `reduceRun` changes it in place. */
export interface RunState {
  readonly plan: RunPlan;
  stage: RunStage;
  /** By index of the plan. */
  readonly operations: readonly OperationState[];
  /** How many operations of the present hook have not ended. */
  unfinished: number;
  running: number;
  isMainRunning: boolean;
  stop?: StopCause | undefined;
}

/** How an operation ended, as far as the rest of the run depends on it. */
export interface OperationEnd {
  index: number;
  status: OperationStatus;
  skippedReason?: SkippedReason | undefined;
  isExempt?: boolean | undefined;
  error?: OperationFailure | undefined;
  /** True if it was abandoned after the grace of an abort. */
  detached?: boolean | undefined;
}

/**
 * Something that happens to a run. A transition out of place, such as a second end of an operation, changes nothing.
 */
export type RunTransition =
  | { type: "begin" }
  | { type: "operation_started"; index: number }
  | ({ type: "operation_finished" } & Pick<OperationEnd, "index" | "status" | "isExempt">)
  /** Contains the failure if a required operation's commit failed. */
  | { type: "commit_finished"; hook: Hook; failure?: FailedDetails | undefined }
  | {
      type: "main_finished";
      status: "done" | "error" | "aborted";
      error?: OperationFailure | undefined;
    }
  | { type: "stop"; cause: StopCause }
  /** The run no longer waits for running operations. */
  | { type: "grace_over" }
  /** The engine cannot continue. An earlier worker may have begun the main call if no commit had to precede it. */
  | { type: "engine_failed"; details: FailedDetails; isMainBegun?: boolean | undefined };

/** Commands to execute, in this order. */
export type RunCommand =
  | {
      type: "enter_phase";
      phase: "before_main_llm" | "barrier" | "main_llm" | "after_main_llm" | "commit";
      hook?: Hook | undefined;
    }
  | { type: "start_operation"; index: number }
  /** The operation ended without a start, or was abandoned. */
  | ({ type: "end_operation" } & OperationEnd)
  | { type: "commit"; hook: Hook }
  | { type: "start_main" }
  /** The main call was abandoned. */
  | { type: "detach_main" }
  | { type: "signal_abort"; cause: StopCause | "engine_failed" }
  | {
      type: "finish";
      status: RunStatus;
      failedType?: FailedType | undefined;
      failedDetails?: FailedDetails | undefined;
      finishReason?: RunFinishReason | undefined;
    };

/** The state of a run that has not started. */
export function initialRunState(plan: RunPlan): RunState {
  return {
    plan,
    stage: "planning",
    operations: plan.operations.map(({ dependencies, isUnreachable }) => ({
      progress: "waiting",
      waitingFor: dependencies.length,
      blockedBy: isUnreachable ? "failure" : "nothing",
      isExempt: false,
    })),
    unfinished: 0,
    running: 0,
    isMainRunning: false,
  };
}
