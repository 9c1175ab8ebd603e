import type { TraceSpan } from "@ccl/core/tracing";
import type { ChatMessage } from "@ccl/core";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import type { EventError, RunEventBody } from "../events/run-event.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { SkippedReason } from "../operation/operation-outcome.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { TurnMessageStep } from "../ports/run-step.ts";
import type { VariantState } from "../ports/chat-state.ts";
import type { RunInput, RunLease } from "../ports/run-store.ts";
import type { ArtifactMap } from "./artifact-view.ts";
import type { ConcurrencyClass, ConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { EngineServices } from "./engine-services.ts";
import type { PlannedOperation, RunPlan } from "./plan-run.ts";
import type { RunWriter } from "./run-journal.ts";
import type { CommitLogEntry, MainLlmRun, OperationStatus } from "./run-result.ts";
import type { RunState, RunTransition } from "./run-state.ts";

/** What is known of one planned operation while the run executes. */
export interface OperationRecord {
  status?: OperationStatus | undefined;
  skippedReason?: SkippedReason | undefined;
  /** Its own condition did not hold. */
  isExempt: boolean;
  error?: EventError | undefined;
  startedAt?: number | undefined;
  finishedAt?: number | undefined;
  /** Begun so far, those before a crash included. */
  attempts: number;
  detached: boolean;
  lateStatus?: OperationStatus | undefined;
  inputsSummary?: Record<string, unknown> | undefined;
  outputsSummary?: Record<string, unknown> | undefined;
  /** Of `done` only. */
  effects: readonly OperationEffect[];
  /** True if something that it depends on has effects, so that its view differs from the hook's beginning. */
  isStale: boolean;
  /** False where its commit failed, so that nothing of it reaches the prompt. */
  isCommitted: boolean;
  /** The place that it holds. */
  place?: ConcurrencyClass | undefined;
  /** Takes back what it waits for: a place, or the time of its next attempt. */
  cancelWait?: (() => void) | undefined;
  /** The one under way: what any other comes to is late. */
  attempt?: Attempt | undefined;
}

/** One try at an operation. */
export interface Attempt {
  readonly run: RunContext;
  readonly operation: PlannedOperation;
  readonly record: OperationRecord;
  /** From 1 once it has begun. */
  number: number;
  /** Of an operation with a limit of its own. */
  timer: AttemptTimer | undefined;
}

/** The time that an attempt has. */
export interface AttemptTimer {
  signal: AbortSignal;
  /** From now on the time runs, unless it was stopped. */
  begin(): void;
  stop(): void;
  /** Aborts the handler's signal. */
  abort(reason: unknown): void;
}

const noEffects: readonly OperationEffect[] = Object.freeze([]);

/** The record of an operation that has not begun. */
export function createRecord(): OperationRecord {
  return {
    isExempt: false,
    attempts: 0,
    detached: false,
    effects: noEffects,
    isStale: false,
    isCommitted: true,
  };
}

/** Gives back the place and the timer that an operation holds, if any. */
export function releaseRecord(record: OperationRecord, limiter: ConcurrencyLimiter): void {
  const { place, attempt } = record;
  record.place = undefined;
  attempt?.timer?.stop();
  if (place !== undefined) limiter.release(place);
}

/** State that one worker keeps while it executes a run. */
export interface RunContext {
  /** What all its work is a part of. */
  readonly span: TraceSpan;
  services: EngineServices;
  input: RunInput;
  plan: RunPlan;
  lease: RunLease;
  /** By index of the plan. */
  handlers: readonly OperationHandler[];
  /** The limits that each operation is under, by index of the plan. */
  places: readonly ConcurrencyClass[];
  records: readonly OperationRecord[];
  readonly state: RunState;
  writer: RunWriter;
  /** Aborted when the run is. */
  signal: AbortSignal;
  abort(reason: unknown): void;
  /** As the answer is going to be kept with; undefined without a profile. */
  kept?: VariantState | undefined;
  /** The place of the turn in its branch, from 1. */
  turnPosition: number;
  /** Selected texts up to and with the user's turn, as loaded; oldest first, frozen. */
  history: readonly ChatMessage[];
  /** As the present hook began. */
  artifacts: ArtifactMap;
  /** Those of the store, where a `run_only` value of the same tag may hide one in `artifacts`. */
  persisted: ArtifactMap;
  /** Versions that this run has committed, by tag, in commit order; undefined while there are none. */
  written?:
    | Map<string, { artifact: OperationArtifact; operationId: string; hook: Hook }>
    | undefined;
  commitLog: CommitLogEntry[];
  main: MainLlmRun;
  /** How the main model is asked: engine, profile and start together. */
  turn: TurnSettings;
  /** By position: tool calls of the main model and their results; a result that has not come is missing. */
  turnMessages: (TurnMessageStep | undefined)[];
  /** True once any operation has given an effect. */
  hasEffects: boolean;
  /** True once the run is to end: nothing starts any more. */
  isStopping: boolean;
  /** Adds an event with the next number, unless it is known from before a crash. */
  emit(body: RunEventBody, ts?: number): void;
  dispatch(transition: RunTransition): void;
  /** The journal or the lease is gone, or a store failed with the error: the worker has to stop. */
  giveUp(error: unknown): void;
}

/** Marks the operation's dependents, so that they rebuild their view. */
export function markDependentsStale(run: RunContext, index: number): void {
  const { plan, records } = run;
  run.hasEffects = true;
  for (const dependent of plan.operations[index]?.dependents ?? []) {
    const record = records[dependent];
    if (record !== undefined) record.isStale = true;
  }
}

/** What the turn holds before its answer, as messages. */
export function turnMessagesOf({ turnMessages }: RunContext): ChatMessage[] {
  return turnMessages.flatMap((one) => one?.message ?? []);
}
