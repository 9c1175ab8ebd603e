import type { EventError } from "../events/run-event.ts";
import type { SkippedReason } from "../operation/operation-outcome.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { RunPlan } from "./plan-run.ts";
import type {
  FailedDetails,
  FailedType,
  OperationStatus,
  RunFinishReason,
  RunStatus,
} from "./run-result.ts";

/** Why a run is to end early. */
export type StopCause = "user_abort" | "deadline";

/** How far an operation has come. */
type OperationProgress = "waiting" | "ready" | "running" | OperationStatus;

/** The worst that an operation's dependencies have come to: `condition` is no failure of a required one. */
export type Block = "nothing" | "condition" | "failure";

/** Where a run is; between the phases that are announced it waits for commits. */
export type RunStage =
  | "planning"
  | "before_main_llm"
  | "commit_before"
  | "main_llm"
  | "after_main_llm"
  | "commit_after"
  | "finished";

/** How far one operation has come, and what it depends on. */
export interface OperationState {
  progress: OperationProgress;
  /** Dependencies that have not ended. */
  waitingFor: number;
  blockedBy: Block;
  /** Left out by a condition, its own or that of what it depends on. */
  isExempt: boolean;
}

/** Everything that decides what happens next. `reduceRun` changes it in place. */
export interface RunState {
  readonly plan: RunPlan;
  stage: RunStage;
  /** By index of the plan. */
  readonly operations: readonly OperationState[];
  /** Operations of the present hook that have not ended. */
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
  error?: EventError | undefined;
  /** Left to itself after the grace of an abort. */
  detached?: boolean | undefined;
}

/** What can happen to a run. What is out of place, such as a second end of an operation, changes nothing. */
export type RunTransition =
  | { type: "begin" }
  | { type: "operation_started"; index: number }
  | ({ type: "operation_finished" } & Pick<OperationEnd, "index" | "status" | "isExempt">)
  /** With the failure of a required operation's commit, if any. */
  | { type: "commit_finished"; hook: Hook; failure?: FailedDetails | undefined }
  | {
      type: "main_finished";
      status: "done" | "error" | "aborted";
      error?: EventError | undefined;
    }
  | { type: "stop"; cause: StopCause }
  /** The run no longer waits for what still runs. */
  | { type: "grace_over" }
  /** The engine itself can't continue. The main call may have begun in an earlier worker, where nothing had to be committed before it. */
  | { type: "engine_failed"; details: FailedDetails; isMainBegun?: boolean | undefined };

/** What is to be done, in this order. */
export type RunCommand =
  | {
      type: "enter_phase";
      phase: "before_main_llm" | "barrier" | "main_llm" | "after_main_llm" | "commit";
      hook?: Hook | undefined;
    }
  | { type: "start_operation"; index: number }
  /** It has ended without having been run, or was left to itself. */
  | ({ type: "end_operation" } & OperationEnd)
  | { type: "commit"; hook: Hook }
  | { type: "start_main" }
  /** The main call was left to itself. */
  | { type: "detach_main" }
  | { type: "signal_abort"; cause: StopCause | "engine_failed" }
  | {
      type: "finish";
      status: RunStatus;
      failedType?: FailedType | undefined;
      failedDetails?: FailedDetails | undefined;
      finishReason?: RunFinishReason | undefined;
    };

/** The state of a run that has not begun. */
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
