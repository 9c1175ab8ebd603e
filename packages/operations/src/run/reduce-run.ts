import type { Hook } from "../operation/operation-definition.ts";
import type { PlannedOperation, RunPlan } from "./plan-run.ts";
import type { FailedDetails, FailedType } from "../events/run-result.ts";
import type {
  Block,
  OperationEnd,
  OperationState,
  RunCommand,
  RunStage,
  RunState,
  RunTransition,
} from "./run-state.ts";
import type { OperationStatus, SkippedReason } from "../operation/operation-failure.ts";

interface Reduction {
  readonly state: RunState;
  readonly commands: RunCommand[];
  /** Ended operations whose dependents are not updated yet. */
  readonly ends: OperationEnd[];
}

/**
 * Decides everything about a run: which operations may start, when a barrier opens, how the run ends. It changes the
 * state in place and returns the commands to execute. The cost of a transition is proportional to the operations that
 * it affects, so a whole run is linear in its operations and dependencies.
 */
export function reduceRun(state: RunState, transition: RunTransition): RunCommand[] {
  if (state.stage === "finished") return [];
  const reduction: Reduction = { state, commands: [], ends: [] };
  if (apply(reduction, transition)) advance(reduction);
  return reduction.commands;
}

/** False if the transition does not apply in this state. */
function apply(reduction: Reduction, transition: RunTransition): boolean {
  const { state } = reduction;
  switch (transition.type) {
    case "begin":
      if (state.stage !== "planning") return false;
      enterHook(reduction, "before_main_llm");
      return true;
    case "operation_started":
      startOperation(state, transition.index);
      return false;
    case "operation_finished":
      return finishOperation(reduction, transition.index, transition);
    case "commit_finished":
      return finishCommit(reduction, transition);
    case "main_finished":
      return finishMain(reduction, transition);
    case "stop":
      return stopRun(reduction, transition.cause);
    case "grace_over":
      return endGrace(reduction);
    case "engine_failed":
      reduction.commands.push({ type: "signal_abort", cause: "engine_failed" });
      endOthers(reduction, "aborted");
      leaveRunning(reduction);
      fail(reduction, failedTypeOf(state.stage, transition.isMainBegun), transition.details);
      return false;
  }
}

function enterHook(reduction: Reduction, hook: Hook): void {
  const { state } = reduction;
  const { operations, beforeCount } = state.plan;
  const [from, to] =
    hook === "before_main_llm" ? [0, beforeCount] : [beforeCount, operations.length];
  state.stage = hook;
  state.unfinished = to - from;
  reduction.commands.push({ type: "enter_phase", phase: hook });
  for (let index = from; index < to; index += 1) {
    if (
      operationAt(state, index).progress !== "waiting" ||
      operationAt(state, index).waitingFor > 0
    )
      continue;
    const end = settle(reduction, index);
    if (end) complete(reduction, index, end);
  }
}

function startOperation(state: RunState, index: number): void {
  if (operationAt(state, index).progress !== "ready") return;
  operationAt(state, index).progress = "running";
  state.running += 1;
}

/** The part of an operation's end that its dependents need. */
type Ending = Pick<OperationEnd, "status" | "isExempt">;

function finishOperation(reduction: Reduction, index: number, ending: Ending): boolean {
  const progress = operationAt(reduction.state, index).progress;
  if (progress !== "ready" && progress !== "running") return false;
  if (progress === "running") reduction.state.running -= 1;
  complete(reduction, index, ending);
  return true;
}

/** Marks an operation as ended, and all operations that must be skipped because of it. */
function complete(reduction: Reduction, index: number, ending: Ending): void {
  const { ends } = reduction;
  endOne(reduction, index, ending);
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) endOne(reduction, end.index, end);
}

function endOne(reduction: Reduction, index: number, ending: Ending): void {
  const { state } = reduction;
  operationAt(state, index).progress = ending.status;
  if (ending.isExempt === true) operationAt(state, index).isExempt = true;
  state.unfinished -= 1;
  const block = blockOf(ending);
  for (const dependent of planned(state.plan, index).dependents)
    updateDependent(reduction, dependent, block);
}

function updateDependent(reduction: Reduction, index: number, block: Block): void {
  const operation = operationAt(reduction.state, index);
  if (operation.progress !== "waiting") return;
  operation.waitingFor -= 1;
  if (block !== "nothing" && operation.blockedBy !== "failure") operation.blockedBy = block;
  const end = operation.waitingFor === 0 ? settle(reduction, index) : undefined;
  if (end) reduction.ends.push(end);
}

function blockOf({ status, isExempt }: Ending): Block {
  if (status === "done") return "nothing";
  return isExempt === true ? "condition" : "failure";
}

/** Starts an operation whose dependencies have all ended, or returns how it ends without a start. */
function settle(reduction: Reduction, index: number): OperationEnd | undefined {
  const { state } = reduction;
  const blockedBy = operationAt(state, index).blockedBy;
  if (blockedBy !== "nothing") {
    const end = endOfBlocked(planned(state.plan, index), blockedBy);
    reduction.commands.push({ type: "end_operation", ...end });
    return end;
  }
  operationAt(state, index).progress = "ready";
  reduction.commands.push({ type: "start_operation", index });
  return undefined;
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
  const { state } = reduction;
  if (state.stage !== (hook === "before_main_llm" ? "commit_before" : "commit_after")) return false;
  if (hook === "after_main_llm") {
    if (failure !== undefined) fail(reduction, "after_main_llm", failure);
    else finishAfter(reduction);
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
  reduction.commands.push({ type: "enter_phase", phase: "main_llm" });
  reduction.commands.push({ type: "start_main" });
  return false;
}

function finishMain(
  reduction: Reduction,
  end: Extract<RunTransition, { type: "main_finished" }>,
): boolean {
  const { state } = reduction;
  if (!state.isMainRunning) return false;
  state.isMainRunning = false;
  if (state.stop !== undefined) return true;
  if (end.status === "done") {
    enterHook(reduction, "after_main_llm");
    return true;
  }
  const { error } = end;
  endOthers(reduction, "skipped", "main_llm_failed");
  fail(reduction, "main_llm", { errorCode: error?.code, errorMessage: error?.message });
  return false;
}

function stopRun(reduction: Reduction, cause: NonNullable<RunState["stop"]>): boolean {
  const { state } = reduction;
  // A second stop changes nothing. The last commit is not interrupted, since the run ends after it anyway.
  if (state.stop !== undefined || state.stage === "commit_after") return false;
  state.stop = cause;
  reduction.commands.push({ type: "signal_abort", cause });
  endOthers(reduction, "aborted");
  return true;
}

function endGrace(reduction: Reduction): boolean {
  if (reduction.state.stop === undefined) return false;
  leaveRunning(reduction);
  return true;
}

/** Marks running operations as aborted. The run no longer waits for them. */
function leaveRunning(reduction: Reduction): void {
  const { state } = reduction;
  for (const { index } of state.plan.operations) {
    if (operationAt(state, index).progress !== "running") continue;
    operationAt(state, index).progress = "aborted";
    reduction.commands.push({ type: "end_operation", index, status: "aborted", detached: true });
  }
  state.running = 0;
  if (state.isMainRunning) reduction.commands.push({ type: "detach_main" });
  state.isMainRunning = false;
}

/** Ends every operation of the run that has not started. */
function endOthers(
  reduction: Reduction,
  status: OperationStatus,
  skippedReason?: SkippedReason,
): void {
  const { state } = reduction;
  for (const { index } of state.plan.operations) {
    const progress = operationAt(state, index).progress;
    if (progress !== "waiting" && progress !== "ready") continue;
    operationAt(state, index).progress = status;
    reduction.commands.push({ type: "end_operation", index, status, skippedReason });
  }
}

/** Moves to the next stage once the present one has nothing left to wait for. */
function advance(reduction: Reduction): void {
  const { state } = reduction;
  if (state.stop !== undefined) {
    if (state.running > 0 || state.isMainRunning || state.stage === "commit_before") return;
    reduction.commands.push({ type: "finish", status: "aborted", finishReason: state.stop });
    state.stage = "finished";
    return;
  }
  if (state.unfinished > 0) return;
  if (state.stage === "before_main_llm") openBarrier(reduction);
  else if (state.stage === "after_main_llm") {
    state.stage = "commit_after";
    reduction.commands.push({ type: "enter_phase", phase: "commit", hook: "after_main_llm" });
    reduction.commands.push({ type: "commit", hook: "after_main_llm" });
  }
}

function openBarrier(reduction: Reduction): void {
  const { state } = reduction;
  reduction.commands.push({ type: "enter_phase", phase: "barrier" });
  const culprit = firstUndone(state, 0, state.plan.beforeCount);
  if (culprit !== undefined) {
    endOthers(reduction, "skipped", "barrier_failed");
    fail(reduction, "before_barrier", { operationId: culprit.operationId });
    return;
  }
  state.stage = "commit_before";
  reduction.commands.push({ type: "enter_phase", phase: "commit", hook: "before_main_llm" });
  reduction.commands.push({ type: "commit", hook: "before_main_llm" });
}

function finishAfter(reduction: Reduction): void {
  const { state } = reduction;
  const culprit = firstUndone(state, state.plan.beforeCount, state.plan.operations.length);
  if (culprit !== undefined) {
    fail(reduction, "after_main_llm", { operationId: culprit.operationId });
    return;
  }
  state.stage = "finished";
  reduction.commands.push({ type: "finish", status: "done" });
}

/** The first required operation in commit order that is neither done nor exempt. */
function firstUndone(state: RunState, from: number, to: number): PlannedOperation | undefined {
  for (let index = from; index < to; index += 1) {
    const operation = planned(state.plan, index);
    if (!operation.config.required || operationAt(state, index).progress === "done") continue;
    if (!operationAt(state, index).isExempt) return operation;
  }
  return undefined;
}

function fail(reduction: Reduction, failedType: FailedType, failedDetails: FailedDetails): void {
  const { state } = reduction;
  state.stage = "finished";
  reduction.commands.push({ type: "finish", status: "failed", failedType, failedDetails });
}

function failedTypeOf(stage: RunStage, isMainBegun = false): FailedType {
  if (stage === "after_main_llm" || stage === "commit_after") return "after_main_llm";
  return stage === "main_llm" || isMainBegun ? "main_llm" : "before_barrier";
}

/** The state of an operation. @throws RangeError if there is no such operation */
export function operationAt({ operations }: RunState, index: number): OperationState {
  const operation = operations[index];
  if (operation === undefined) throw new RangeError(`The run has no operation ${index}.`);
  return operation;
}

function planned(plan: RunPlan, index: number): PlannedOperation {
  const operation = plan.operations[index];
  if (operation === undefined) throw new RangeError(`The plan has no operation ${index}.`);
  return operation;
}
