import type { TraceSpan } from "@ccl/core/tracing";
import type { ChatMessage } from "@ccl/core";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import type { RunEventBody } from "../events/run-event.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { TurnMessageStep } from "../ports/run-step.ts";
import type { VariantState } from "../ports/chat-store.ts";
import type { RunInput, RunLease } from "../ports/run-store.ts";
import type { ArtifactMap } from "./artifact-view.ts";
import type { ConcurrencyClass, ConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { EngineServices } from "./engine-services.ts";
import type { PlannedOperation, RunPlan } from "./plan-run.ts";
import type { RunWriter } from "./run-journal.ts";
import type { CommitLogEntry, MainLlmRun } from "../events/run-result.ts";
import type { RunState, RunTransition } from "./run-state.ts";
import type {
  OperationFailure,
  OperationStatus,
  SkippedReason,
} from "../operation/operation-failure.ts";

/** The state of one planned operation while the run executes. */
export interface OperationRecord {
  status?: OperationStatus | undefined;
  skippedReason?: SkippedReason | undefined;
  /** True if its own condition did not hold. */
  isExempt: boolean;
  error?: OperationFailure | undefined;
  startedAt?: number | undefined;
  finishedAt?: number | undefined;
  /** Attempts so far, including those before a crash. */
  attempts: number;
  detached: boolean;
  lateStatus?: OperationStatus | undefined;
  inputsSummary?: Record<string, unknown> | undefined;
  outputsSummary?: Record<string, unknown> | undefined;
  /** Empty unless the operation is `done`. */
  effects: readonly OperationEffect[];
  /** True if a dependency has effects, so that the operation's view differs from the beginning of the hook. */
  isStale: boolean;
  /** False if its commit failed, so that none of it reaches the prompt. */
  isCommitted: boolean;
  /** The slot that it holds. */
  place?: ConcurrencyClass | undefined;
  /** Cancels the wait for a slot or for the next attempt. */
  cancelWait?: (() => void) | undefined;
  /** The current attempt. Results of any other attempt are late. */
  attempt?: Attempt | undefined;
}

/** One attempt at an operation. */
export interface Attempt {
  readonly run: RunContext;
  readonly operation: PlannedOperation;
  readonly record: OperationRecord;
  /** Counts from 1 once it has begun. */
  number: number;
  /** Present if the operation has its own time limit. */
  timer: AttemptTimer | undefined;
}

/** The time limit of an attempt. */
export interface AttemptTimer {
  signal: AbortSignal;
  stop(): void;
  /** Aborts the handler's signal. */
  abort(reason: unknown): void;
}

const noEffects: readonly OperationEffect[] = Object.freeze([]);

/** The record of an operation that has not started. */
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

/** Releases the slot and the timer that an operation holds, if any. */
export function releaseRecord(record: OperationRecord, limiter: ConcurrencyLimiter): void {
  const { place, attempt } = record;
  record.place = undefined;
  attempt?.timer?.stop();
  if (place !== undefined) limiter.release(place);
}

/** State that one worker keeps while it executes a run. */
export interface RunContext {
  /** Span of the run's work. */
  readonly span: TraceSpan;
  services: EngineServices;
  input: RunInput;
  plan: RunPlan;
  lease: RunLease;
  /** Handlers by index of the plan. */
  handlers: readonly OperationHandler[];
  /** The limits of each operation, by index of the plan. */
  places: readonly ConcurrencyClass[];
  records: readonly OperationRecord[];
  readonly state: RunState;
  writer: RunWriter;
  /** Aborts with the run. */
  signal: AbortSignal;
  abort(reason: unknown): void;
  /** The state that will be stored with the answer. Undefined without a profile. */
  kept?: VariantState | undefined;
  /** The place of the turn in its branch, from 1. */
  turnPosition: number;
  /** Selected texts up to and including the user's turn, as loaded. Oldest first, frozen. */
  history: readonly ChatMessage[];
  /** Artifacts at the beginning of the present hook. */
  artifacts: ArtifactMap;
  /** Artifacts of the store. In `artifacts` a `run_only` value may hide one of them. */
  persisted: ArtifactMap;
  /** Versions that this run has committed, by tag, in commit order. Undefined if there are none. */
  written?:
    | Map<string, { artifact: OperationArtifact; operationId: string; hook: Hook }>
    | undefined;
  commitLog: CommitLogEntry[];
  main: MainLlmRun;
  /** Merged settings of the main call, from the engine, the profile and the start. */
  turn: TurnSettings;
  /** Tool calls of the main model and their results, by position. Results that have not arrived are missing. */
  turnMessages: (TurnMessageStep | undefined)[];
  /** True once an operation has returned an effect. */
  hasEffects: boolean;
  /** True once the run must end, so that nothing new starts. */
  isStopping: boolean;
  /** Adds an event with the next number, unless it was stored before a crash. */
  emit(body: RunEventBody, ts?: number): void;
  dispatch(transition: RunTransition): void;
  /** Stops the worker: the journal or the lease is lost, or a store failed with the error. */
  giveUp(error: unknown): void;
}

/** Marks the operation's dependents, so that they rebuild their views. */
export function markDependentsStale(run: RunContext, index: number): void {
  const { plan, records } = run;
  run.hasEffects = true;
  for (const dependent of plan.operations[index]?.dependents ?? []) {
    const record = records[dependent];
    if (record !== undefined) record.isStale = true;
  }
}

/** The messages of the turn before its answer. */
export function turnMessagesOf({ turnMessages }: RunContext): ChatMessage[] {
  return turnMessages.flatMap((one) => one?.message ?? []);
}
