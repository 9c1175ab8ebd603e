import type {
  Hook,
  OperationFailure,
  OperationStatus,
  SkippedReason,
} from "../operation/operation-definition.ts";
import type { PlannedOperation, RunPlan } from "./plan-run.ts";
import type { FailedDetails, FailedType, RunFinishReason, RunStatus } from "../events/run-event.ts";

/** Why a run must end early. */
export type StopCause = "user_abort" | "deadline";

/** The stage of a run. Between announced phases it waits for commits. */
type RunStage =
  | "planning"
  | "before_main_llm"
  | "commit_before"
  | "main_llm"
  | "after_main_llm"
  | "commit_after"
  | "finished";

/** The progress of one operation and of its dependencies. */
interface OperationState {
  readonly planned: PlannedOperation;
  progress: "waiting" | "ready" | "running" | OperationStatus;
  /** Number of dependencies that have not ended. */
  waitingFor: number;
  /** The worst outcome of its dependencies. With `condition`, a required operation does not fail. */
  blockedBy: "nothing" | "condition" | "failure";
  /** True if a condition skipped it, or one of its dependencies. */
  isExempt: boolean;
}

/** All state that determines the next step. `reduceRun` modifies it in place. */
export interface RunState {
  stage: RunStage;
  /** By index in the plan. */
  readonly operations: readonly OperationState[];
  /** Number of operations in the current hook that have not ended. */
  unfinished: number;
  running: number;
  isMainRunning: boolean;
  stop?: StopCause | undefined;
}

/** How an operation ended, as far as the rest of the run depends on that. */
export interface OperationEnd {
  index: number;
  status: OperationStatus;
  skippedReason?: SkippedReason | undefined;
  isExempt?: boolean | undefined;
  error?: OperationFailure | undefined;
  /** True if it was abandoned after the abort's grace period. */
  detached?: boolean | undefined;
}

/**
 * Something that happens to a run. A transition that does not apply, such as a second end of an operation, changes
 * nothing.
 */
export type RunTransition =
  | { type: "begin" }
  | { type: "operation_started"; index: number }
  | ({ type: "operation_finished" } & Pick<OperationEnd, "index" | "status" | "isExempt">)
  /** Contains the failure if the commit of a required operation failed. */
  | { type: "commit_finished"; hook: Hook; failure?: FailedDetails | undefined }
  | {
      type: "main_finished";
      status: "done" | "error" | "aborted";
      error?: OperationFailure | undefined;
    }
  | { type: "stop"; cause: StopCause }
  /** The run no longer waits for running operations. */
  | { type: "grace_over" }
  /** The engine cannot continue. An earlier worker may have started the main call if no commit had to precede it. */
  | { type: "engine_failed"; details: FailedDetails; isMainBegun?: boolean | undefined };

/** Commands to execute in order. */
export type RunCommand =
  | {
      type: "enter_phase";
      phase: "before_main_llm" | "barrier" | "main_llm" | "after_main_llm" | "commit";
      hook?: Hook | undefined;
    }
  | { type: "start_operation"; index: number }
  /** The operation ended without starting, or was abandoned. */
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

/** The command that ends a run. */
export type FinishCommand = Extract<RunCommand, { type: "finish" }>;

/** Returns the state of a run that has not started. */
export function initialRunState({ operations }: RunPlan): RunState {
  return {
    stage: "planning",
    operations: operations.map((planned) => ({
      planned,
      progress: "waiting",
      waitingFor: planned.dependencies.length,
      blockedBy: planned.isUnreachable ? "failure" : "nothing",
      isExempt: false,
    })),
    unfinished: 0,
    running: 0,
    isMainRunning: false,
  };
}

interface Reduction {
  readonly state: RunState;
  readonly commands: RunCommand[];
  /** Operations skipped because of another one, whose dependents are not updated yet. */
  readonly ends: OperationEnd[];
}

/**
 * Makes all decisions about a run: which operations may start, when a barrier opens, how the run ends. Modifies the
 * state in place and returns the commands to execute. The cost of a transition is proportional to the number of
 * operations it affects, so a whole run is linear in its operations and dependencies.
 */
export function reduceRun(state: RunState, transition: RunTransition): RunCommand[] {
  if (state.stage === "finished") return [];
  const reduction: Reduction = { state, commands: [], ends: [] };
  if (apply(reduction, transition)) advance(reduction);
  return reduction.commands;
}

/** Applies the transition. Returns false if it does not apply in this state. */
function apply(reduction: Reduction, transition: RunTransition): boolean {
  const { state, commands } = reduction;
  switch (transition.type) {
    case "begin":
      if (state.stage !== "planning") return false;
      enterHook(reduction, "before_main_llm");
      return true;
    case "operation_started": {
      const operation = operationAt(state, transition.index);
      if (operation.progress !== "ready") return false;
      operation.progress = "running";
      state.running += 1;
      return false;
    }
    case "operation_finished": {
      const { progress } = operationAt(state, transition.index);
      if (progress !== "ready" && progress !== "running") return false;
      if (progress === "running") state.running -= 1;
      complete(reduction, transition);
      return true;
    }
    case "commit_finished":
      return finishCommit(reduction, transition);
    case "main_finished":
      return finishMain(reduction, transition);
    case "stop":
      // A second stop changes nothing. The last commit is not interrupted, since the run ends after it anyway.
      if (state.stop !== undefined || state.stage === "commit_after") return false;
      state.stop = transition.cause;
      commands.push({ type: "signal_abort", cause: transition.cause });
      endOthers(reduction, "aborted");
      return true;
    case "grace_over":
      if (state.stop === undefined) return false;
      abandonRunning(reduction);
      return true;
    case "engine_failed":
      commands.push({ type: "signal_abort", cause: "engine_failed" });
      endOthers(reduction, "aborted");
      abandonRunning(reduction);
      fail(reduction, failedTypeOf(state.stage, transition.isMainBegun), transition.details);
      return false;
  }
}

function enterHook(reduction: Reduction, hook: Hook): void {
  const { state, commands } = reduction;
  const operations = state.operations.filter(({ planned }) => planned.hook === hook);
  state.stage = hook;
  state.unfinished = operations.length;
  commands.push({ type: "enter_phase", phase: hook });
  for (const operation of operations) {
    if (operation.progress !== "waiting" || operation.waitingFor > 0) continue;
    const end = settle(reduction, operation);
    if (end) complete(reduction, end);
  }
}

/** The part of an operation's end that its dependents need. */
type Ending = Pick<OperationEnd, "index" | "status" | "isExempt">;

/** Marks an operation as ended, and all operations that must be skipped as a result. */
function complete(reduction: Reduction, ending: Ending): void {
  const { state, ends } = reduction;
  for (let end: Ending | undefined = ending; end !== undefined; end = ends.pop()) {
    const { index, status, isExempt = false } = end;
    const operation = operationAt(state, index);
    operation.progress = status;
    operation.isExempt = isExempt;
    state.unfinished -= 1;
    for (const dependent of operation.planned.dependents)
      updateDependent(reduction, operationAt(state, dependent), operation);
  }
}

function updateDependent(
  reduction: Reduction,
  dependent: OperationState,
  { progress, isExempt }: OperationState,
): void {
  if (dependent.progress !== "waiting") return;
  dependent.waitingFor -= 1;
  if (progress !== "done" && dependent.blockedBy !== "failure")
    dependent.blockedBy = isExempt ? "condition" : "failure";
  const end = dependent.waitingFor === 0 ? settle(reduction, dependent) : undefined;
  if (end) reduction.ends.push(end);
}

/** Starts an operation whose dependencies have all ended, or returns how it ends without starting. */
function settle({ commands }: Reduction, operation: OperationState): OperationEnd | undefined {
  const { planned, blockedBy } = operation;
  if (blockedBy === "nothing") {
    operation.progress = "ready";
    commands.push({ type: "start_operation", index: planned.index });
    return undefined;
  }
  const end = endOfBlocked(planned, blockedBy);
  commands.push({ type: "end_operation", ...end });
  return end;
}

function endOfBlocked(
  { index, config }: PlannedOperation,
  blockedBy: "condition" | "failure",
): OperationEnd {
  if (blockedBy === "condition")
    return { index, status: "skipped", skippedReason: "condition_false", isExempt: true };
  if (!config.required) return { index, status: "skipped", skippedReason: "dependency_failed" };
  const message = "An operation that it depends on was not done.";
  return { index, status: "error", error: { code: "dependency_failed", message } };
}

function finishCommit(
  reduction: Reduction,
  { hook, failure }: Extract<RunTransition, { type: "commit_finished" }>,
): boolean {
  const { state, commands } = reduction;
  if (state.stage !== (hook === "before_main_llm" ? "commit_before" : "commit_after")) return false;
  if (hook === "after_main_llm") {
    const culprit = firstUndone(state, hook);
    if (failure !== undefined) fail(reduction, "after_main_llm", failure);
    else if (culprit !== undefined) fail(reduction, "after_main_llm", culprit);
    else finish(reduction, { status: "done" });
    return false;
  }
  if (failure !== undefined) {
    endOthers(reduction, "skipped", "barrier_failed");
    fail(reduction, "before_barrier", failure);
    return false;
  }
  state.stage = "main_llm";
  if (state.stop !== undefined) return true;
  state.isMainRunning = true;
  commands.push({ type: "enter_phase", phase: "main_llm" }, { type: "start_main" });
  return false;
}

function finishMain(
  reduction: Reduction,
  { status, error }: Extract<RunTransition, { type: "main_finished" }>,
): boolean {
  const { state } = reduction;
  if (!state.isMainRunning) return false;
  state.isMainRunning = false;
  if (state.stop !== undefined) return true;
  if (status === "done") {
    enterHook(reduction, "after_main_llm");
    return true;
  }
  endOthers(reduction, "skipped", "main_llm_failed");
  fail(reduction, "main_llm", { errorCode: error?.code, errorMessage: error?.message });
  return false;
}

/** Marks running operations as aborted. The run stops waiting for them. */
function abandonRunning({ state, commands }: Reduction): void {
  for (const operation of state.operations) {
    if (operation.progress !== "running") continue;
    operation.progress = "aborted";
    const { index } = operation.planned;
    commands.push({ type: "end_operation", index, status: "aborted", detached: true });
  }
  state.running = 0;
  if (state.isMainRunning) commands.push({ type: "detach_main" });
  state.isMainRunning = false;
}

/** Ends all operations of the run that have not started. */
function endOthers(
  { state, commands }: Reduction,
  status: OperationStatus,
  skippedReason?: SkippedReason,
): void {
  for (const operation of state.operations) {
    if (operation.progress !== "waiting" && operation.progress !== "ready") continue;
    operation.progress = status;
    const { index } = operation.planned;
    commands.push({ type: "end_operation", index, status, skippedReason });
  }
}

/** Advances to the next stage once the current one has nothing left to wait for. */
function advance(reduction: Reduction): void {
  const { state, commands } = reduction;
  if (state.stop !== undefined) {
    if (state.running > 0 || state.isMainRunning || state.stage === "commit_before") return;
    finish(reduction, { status: "aborted", finishReason: state.stop });
    return;
  }
  const { stage: hook } = state;
  if (state.unfinished > 0 || (hook !== "before_main_llm" && hook !== "after_main_llm")) return;
  if (hook === "before_main_llm") {
    commands.push({ type: "enter_phase", phase: "barrier" });
    const culprit = firstUndone(state, hook);
    if (culprit !== undefined) {
      endOthers(reduction, "skipped", "barrier_failed");
      fail(reduction, "before_barrier", culprit);
      return;
    }
  }
  state.stage = hook === "before_main_llm" ? "commit_before" : "commit_after";
  commands.push({ type: "enter_phase", phase: "commit", hook }, { type: "commit", hook });
}

/** Finds the first required operation in commit order that is neither done nor exempt. */
function firstUndone({ operations }: RunState, hook: Hook): FailedDetails | undefined {
  const culprit = operations.find(
    ({ planned, progress, isExempt }) =>
      planned.hook === hook && planned.config.required && progress !== "done" && !isExempt,
  );
  return culprit && { operationId: culprit.planned.operationId };
}

function fail(reduction: Reduction, failedType: FailedType, failedDetails: FailedDetails): void {
  finish(reduction, { status: "failed", failedType, failedDetails });
}

function finish({ state, commands }: Reduction, end: Omit<FinishCommand, "type">): void {
  state.stage = "finished";
  commands.push({ type: "finish", ...end });
}

function failedTypeOf(stage: RunStage, isMainBegun = false): FailedType {
  if (stage === "after_main_llm" || stage === "commit_after") return "after_main_llm";
  return stage === "main_llm" || isMainBegun ? "main_llm" : "before_barrier";
}

/** Returns the state of an operation. @throws RangeError if it does not exist */
export function operationAt({ operations }: RunState, index: number): OperationState {
  const operation = operations[index];
  if (operation === undefined) throw new RangeError(`The run has no operation ${index}.`);
  return operation;
}
