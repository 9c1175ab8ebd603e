import type { Hook } from "../operation/operation-definition.ts";
import type { SkippedReason } from "../operation/operation-outcome.ts";
import { FlatDraft, itemsOf, SharingDraft, type ArrayDraft } from "./persistent-array.ts";
import type { PlannedOperation, RunPlan } from "./plan-run.ts";
import type { FailedDetails, FailedType, OperationStatus } from "./run-result.ts";
import type {
  Blockage,
  OperationEnd,
  OperationProgress,
  RunCommand,
  RunStage,
  RunState,
  RunTransition,
} from "./run-state.ts";

/** A state and what it asks for. */
export interface RunReduction {
  state: RunState;
  commands: RunCommand[];
}

type Arrays = "progress" | "waitingFor" | "blockedBy" | "exempt";

/** The arrays of a state under construction. */
interface DraftArrays {
  readonly progress: ArrayDraft<OperationProgress>;
  readonly waitingFor: ArrayDraft<number>;
  readonly blockedBy: ArrayDraft<Blockage>;
  readonly exempt: ArrayDraft<boolean>;
}

/** A state under construction, changed in place. */
type DraftState = { -readonly [Key in keyof Omit<RunState, Arrays>]: RunState[Key] } & DraftArrays;

/** A command, or the number of an operation that is to be started, since nearly all of them are that. */
export type CommandNote = RunCommand | number;

/** A transition, or the number of an operation that is done, since nearly all of them are that. */
export type TransitionNote = RunTransition | number;

interface Draft {
  state: DraftState;
  /** Absent while there is none: nearly every transition asks for one at most. */
  commands: CommandNote[] | undefined;
  /** Ends whose dependents have not heard of them. */
  ends: OperationEnd[];
}

/**
 * All decisions of a run, pure: which operation may start, when a barrier opens, how the run ends. Costs are those of
 * the operations that the transition touches, so that a whole run is linear in its operations and dependencies.
 */
export function reduceRun(state: RunState, transition: RunTransition): RunReduction {
  if (state.stage === "finished") return { state, commands: [] };
  const progress = new SharingDraft(state.progress);
  const waitingFor = new SharingDraft(state.waitingFor);
  const blockedBy = new SharingDraft(state.blockedBy);
  const exempt = new SharingDraft(state.exempt);
  const draft = draftOf(state, { progress, waitingFor, blockedBy, exempt });
  if (apply(draft, transition)) advance(draft);
  const commands = (draft.commands ?? []).map(commandOf);
  const after: RunState = {
    ...draft.state,
    progress: progress.finish(),
    waitingFor: waitingFor.finish(),
    blockedBy: blockedBy.finish(),
    exempt: exempt.finish(),
  };
  return { state: commands.length === 0 && !hasChanged(state, after) ? state : after, commands };
}

/** The decisions of `reduceRun` for one who needs no former state: what each transition changes is changed in place. */
export interface RunMachine {
  /** Always the present one. */
  readonly state: Readonly<DraftState>;
  /** Gives what is to be done, if anything; the state that the machine was made with stays as it is. */
  reduce(transition: TransitionNote): readonly CommandNote[] | undefined;
  /** As the transition `operation_started`, which asks for nothing; false where it is out of place. */
  start(index: number): boolean;
}

/** What a note stands for. */
export function commandOf(note: CommandNote): RunCommand {
  return typeof note === "number" ? { type: "start_operation", index: note } : note;
}

/** Makes machines that each go on from a state. */
export function runMachinesFrom(from: RunState): () => RunMachine {
  const progress = itemsOf(from.progress);
  const waitingFor = itemsOf(from.waitingFor);
  const blockedBy = itemsOf(from.blockedBy);
  const exempt = itemsOf(from.exempt);
  return () =>
    machineOf(
      draftOf(from, {
        progress: new FlatDraft(progress),
        waitingFor: new FlatDraft(waitingFor),
        blockedBy: new FlatDraft(blockedBy),
        exempt: new FlatDraft(exempt),
      }),
    );
}

function machineOf(draft: Draft): RunMachine {
  return {
    state: draft.state,
    reduce(transition) {
      if (draft.state.stage === "finished") return undefined;
      if (apply(draft, transition)) advance(draft);
      const { commands } = draft;
      draft.commands = undefined;
      return commands;
    },
    start: (index) => startOperation(draft, index),
  };
}

function draftOf(state: RunState, arrays: DraftArrays): Draft {
  return { state: { ...state, ...arrays }, commands: undefined, ends: [] };
}

function hasChanged(before: RunState, after: RunState): boolean {
  return (
    before.progress !== after.progress ||
    before.stage !== after.stage ||
    before.stop !== after.stop ||
    before.isMainRunning !== after.isMainRunning
  );
}

function ask(draft: Draft, command: CommandNote): void {
  if (draft.commands === undefined) draft.commands = [command];
  else draft.commands.push(command);
}

/** False where the transition is out of place. */
function apply(draft: Draft, transition: TransitionNote): boolean {
  if (typeof transition === "number") return finishOperation(draft, transition, done);
  const { state } = draft;
  switch (transition.type) {
    case "begin":
      if (state.stage !== "planning") return false;
      enterHook(draft, "before_main_llm");
      return true;
    case "operation_started":
      startOperation(draft, transition.index);
      return false;
    case "operation_finished":
      return finishOperation(draft, transition.index, transition);
    case "commit_finished":
      return finishCommit(draft, transition);
    case "main_finished":
      return finishMain(draft, transition);
    case "stop":
      return stopRun(draft, transition.cause);
    case "grace_over":
      return endGrace(draft);
    case "fault":
      ask(draft, { type: "signal_abort", cause: "fault" });
      endOthers(draft, "aborted");
      leaveRunning(draft);
      fail(draft, failedTypeOf(state.stage), transition.details);
      return false;
  }
}

function enterHook(draft: Draft, hook: Hook): void {
  const { state } = draft;
  const { operations, beforeCount } = state.plan;
  const [from, to] =
    hook === "before_main_llm" ? [0, beforeCount] : [beforeCount, operations.length];
  state.stage = hook;
  state.unfinished = to - from;
  ask(draft, { type: "enter_phase", phase: hook });
  for (let index = from; index < to; index += 1) {
    if (state.progress.at(index) !== "waiting" || state.waitingFor.at(index) > 0) continue;
    const end = settle(draft, index);
    if (end) complete(draft, index, end);
  }
}

function startOperation({ state }: Draft, index: number): boolean {
  if (state.progress.at(index) !== "ready") return false;
  state.progress.set(index, "running");
  state.running += 1;
  return true;
}

/** How an operation ended, as far as others depend on it. */
type Ending = Pick<OperationEnd, "status" | "isExempt">;

const done: Ending = { status: "done" };

function finishOperation(draft: Draft, index: number, ending: Ending): boolean {
  const progress = draft.state.progress.at(index);
  if (progress !== "ready" && progress !== "running") return false;
  if (progress === "running") draft.state.running -= 1;
  complete(draft, index, ending);
  return true;
}

/** Marks an operation as ended, and all those that can only be left out because of it. */
function complete(draft: Draft, index: number, ending: Ending): void {
  const { ends } = draft;
  endOne(draft, index, ending);
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) endOne(draft, end.index, end);
}

function endOne(draft: Draft, index: number, ending: Ending): void {
  const { state } = draft;
  state.progress.set(index, ending.status);
  if (ending.isExempt === true) state.exempt.set(index, true);
  state.unfinished -= 1;
  const block = blockOf(ending);
  for (const dependent of planned(state.plan, index).dependents)
    tellDependent(draft, dependent, block);
}

function tellDependent(draft: Draft, index: number, block: Blockage): void {
  const { state } = draft;
  if (state.progress.at(index) !== "waiting") return;
  const waitingFor = state.waitingFor.at(index) - 1;
  state.waitingFor.set(index, waitingFor);
  if (block !== "nothing" && state.blockedBy.at(index) !== "failure") {
    state.blockedBy.set(index, block);
  }
  const end = waitingFor === 0 ? settle(draft, index) : undefined;
  if (end) draft.ends.push(end);
}

function blockOf({ status, isExempt }: Ending): Blockage {
  if (status === "done") return "nothing";
  return isExempt === true ? "condition" : "failure";
}

/** Starts an operation whose dependencies have all ended, or says how it ends without a start. */
function settle(draft: Draft, index: number): OperationEnd | undefined {
  const { state } = draft;
  const blockedBy = state.blockedBy.at(index);
  if (blockedBy !== "nothing") {
    const end = endOfBlocked(planned(state.plan, index), blockedBy);
    ask(draft, { type: "end_operation", ...end });
    return end;
  }
  state.progress.set(index, "ready");
  ask(draft, index);
  return undefined;
}

function endOfBlocked(
  { index, config }: PlannedOperation,
  blockedBy: "condition" | "failure",
): OperationEnd {
  if (blockedBy === "condition")
    return { index, status: "skipped", skippedReason: "condition_false", isExempt: true };
  if (!config.required) return { index, status: "skipped", skippedReason: "dependency_failed" };
  const errorMessage = "An operation that it depends on was not done.";
  return { index, status: "error", errorCode: "dependency_failed", errorMessage };
}

function finishCommit(
  draft: Draft,
  { hook, failure }: Extract<RunTransition, { type: "commit_finished" }>,
): boolean {
  const { state } = draft;
  if (state.stage !== (hook === "before_main_llm" ? "commit_before" : "commit_after")) return false;
  if (hook === "after_main_llm") {
    if (failure !== undefined) fail(draft, "after_main_llm", failure);
    else finishAfter(draft);
    return false;
  }
  if (failure !== undefined) {
    endOthers(draft, "skipped", "barrier_failed");
    fail(draft, "before_barrier", failure);
    return false;
  }
  state.stage = "main_llm";
  if (state.stop !== undefined) return true;
  state.isMainRunning = true;
  ask(draft, { type: "enter_phase", phase: "main_llm" });
  ask(draft, { type: "start_main" });
  return false;
}

function finishMain(draft: Draft, end: Extract<RunTransition, { type: "main_finished" }>): boolean {
  const { state } = draft;
  if (!state.isMainRunning) return false;
  state.isMainRunning = false;
  if (state.stop !== undefined) return true;
  if (end.status === "done") {
    enterHook(draft, "after_main_llm");
    return true;
  }
  const { errorCode, errorMessage } = end;
  endOthers(draft, "skipped", "main_llm_failed");
  fail(draft, "main_llm", {
    errorCode: errorCode || undefined,
    errorMessage: errorMessage || undefined,
  });
  return false;
}

function stopRun(draft: Draft, cause: NonNullable<RunState["stop"]>): boolean {
  const { state } = draft;
  // A second stop changes nothing, and the last commit is not interrupted: it ends the run anyway.
  if (state.stop !== undefined || state.stage === "commit_after") return false;
  state.stop = cause;
  ask(draft, { type: "signal_abort", cause });
  endOthers(draft, "aborted");
  return true;
}

function endGrace(draft: Draft): boolean {
  if (draft.state.stop === undefined) return false;
  leaveRunning(draft);
  return true;
}

/** Counts what still runs as aborted; nobody waits for it any longer. */
function leaveRunning(draft: Draft): void {
  const { state } = draft;
  for (const { index } of state.plan.operations) {
    if (state.progress.at(index) !== "running") continue;
    state.progress.set(index, "aborted");
    ask(draft, { type: "end_operation", index, status: "aborted", detached: true });
  }
  state.running = 0;
  if (state.isMainRunning) ask(draft, { type: "detach_main" });
  state.isMainRunning = false;
}

/** Ends every operation of the run that has not started. */
function endOthers(draft: Draft, status: OperationStatus, skippedReason?: SkippedReason): void {
  const { state } = draft;
  for (const { index } of state.plan.operations) {
    const progress = state.progress.at(index);
    if (progress !== "waiting" && progress !== "ready") continue;
    state.progress.set(index, status);
    ask(draft, { type: "end_operation", index, status, skippedReason: skippedReason || undefined });
  }
}

/** Goes on where the present stage has nothing left to wait for. */
function advance(draft: Draft): void {
  const { state } = draft;
  if (state.stop !== undefined) {
    if (state.running > 0 || state.isMainRunning || state.stage === "commit_before") return;
    ask(draft, { type: "finish", status: "aborted", finishReason: state.stop });
    state.stage = "finished";
    return;
  }
  if (state.unfinished > 0) return;
  if (state.stage === "before_main_llm") openBarrier(draft);
  else if (state.stage === "after_main_llm") {
    state.stage = "commit_after";
    ask(draft, { type: "enter_phase", phase: "commit", hook: "after_main_llm" });
    ask(draft, { type: "commit", hook: "after_main_llm" });
  }
}

function openBarrier(draft: Draft): void {
  const { state } = draft;
  ask(draft, { type: "enter_phase", phase: "barrier" });
  const culprit = firstUndone(state, 0, state.plan.beforeCount);
  if (culprit !== undefined) {
    endOthers(draft, "skipped", "barrier_failed");
    fail(draft, "before_barrier", { operationId: culprit.operationId });
    return;
  }
  state.stage = "commit_before";
  ask(draft, { type: "enter_phase", phase: "commit", hook: "before_main_llm" });
  ask(draft, { type: "commit", hook: "before_main_llm" });
}

function finishAfter(draft: Draft): void {
  const { state } = draft;
  const culprit = firstUndone(state, state.plan.beforeCount, state.plan.operations.length);
  if (culprit !== undefined) {
    fail(draft, "after_main_llm", { operationId: culprit.operationId });
    return;
  }
  state.stage = "finished";
  ask(draft, { type: "finish", status: "done" });
}

/** The first required operation, in commit order, that is neither done nor exempt. */
function firstUndone(state: DraftState, from: number, to: number): PlannedOperation | undefined {
  for (let index = from; index < to; index += 1) {
    const operation = planned(state.plan, index);
    if (!operation.config.required || state.progress.at(index) === "done") continue;
    if (!state.exempt.at(index)) return operation;
  }
  return undefined;
}

function fail(draft: Draft, failedType: FailedType, failedDetails: FailedDetails): void {
  const { state } = draft;
  state.stage = "finished";
  ask(draft, { type: "finish", status: "failed", failedType, failedDetails });
}

function failedTypeOf(stage: RunStage): FailedType {
  if (stage === "main_llm") return "main_llm";
  return stage === "after_main_llm" || stage === "commit_after"
    ? "after_main_llm"
    : "before_barrier";
}

function planned(plan: RunPlan, index: number): PlannedOperation {
  const operation = plan.operations[index];
  if (operation === undefined) throw new RangeError(`The plan has no operation ${index}.`);
  return operation;
}
