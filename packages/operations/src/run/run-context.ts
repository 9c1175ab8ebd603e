import type { TraceSpan } from "@ccl/core/tracing";
import type { ChatMessage } from "@ccl/core";

import type { ArtifactWrite, OperationArtifact } from "../artifact/operation-artifact.ts";
import { isArtifactEffect } from "../effects/is-effect-of.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import type { RunEventBody } from "../events/run-event.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { MainStep, OperationStep, TurnMessageStep } from "../ports/run-step.ts";
import type { VariantState } from "../ports/chat-store.ts";
import type { RunInput, RunLease } from "../ports/run-store.ts";
import type { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { EngineServices } from "./engine-services.ts";
import type { Deferred } from "./live-run.ts";
import type { RunPlan } from "./plan-run.ts";
import type { RunWriter } from "./run-journal.ts";
import type { CommitLogEntry, MainLlmRun, RunResult } from "../events/run-result.ts";
import type { PreparedOperation } from "./prepare-run.ts";
import type { RunState, RunTransition, StopCause } from "./reduce-run.ts";

/** One planned operation while the run executes. */
export interface OperationRecord extends PreparedOperation {
  /** Attempts so far, including those before a crash. */
  attempts: number;
  startedAt?: number | undefined;
  /** How it ended. Absent until then. */
  end?: OperationStep | undefined;
  /** True if a dependency has effects, so that the operation's view differs from the beginning of the hook. */
  isStale: boolean;
  /** False if its commit failed, so that none of it reaches the prompt. */
  isCommitted: boolean;
  /** True while it counts towards its limits. */
  hasSlot: boolean;
  /** Cancels the wait for a slot. */
  cancelWait?: (() => void) | undefined;
  /** The current attempt. Results of any other attempt are late. */
  attempt?: Attempt | undefined;
}

/** One attempt at an operation. */
export interface Attempt {
  readonly run: RunContext;
  readonly record: OperationRecord;
  /** Counts from 1 once it has begun. */
  number: number;
}

const noEffects: readonly OperationEffect[] = Object.freeze([]);

/** The effects of an operation. None unless it is `done`. */
export function effectsOf({ end }: OperationRecord): readonly OperationEffect[] {
  return end?.effects ?? noEffects;
}

/** The one write among an operation's effects. */
export function writeOf(record: OperationRecord): ArtifactWrite | undefined {
  return effectsOf(record).find(isArtifactEffect);
}

/** Releases the slot that an operation holds, if any. */
export function releaseRecord(record: OperationRecord, limiter: ConcurrencyLimiter): void {
  if (record.hasSlot) limiter.release();
  record.hasSlot = false;
}

/** Timers that are cleared when the run ends. */
export interface RunTimers {
  set(delayMs: number, callback: () => void): () => void;
  clear(): void;
}

/** The main call in progress. */
export interface MainCall {
  /** Resolves when the call has ended. Never rejects. */
  ended: Promise<MainStep>;
  /** Abandons the call and returns the answer so far. */
  detach(): MainStep;
}

/** Artifacts by tag. Frozen. */
export type ArtifactMap = Readonly<Record<string, OperationArtifact>>;

/** What a write follows: the stored value, or for a `run_only` write whatever the tag holds. */
export function formerOf(
  { artifacts, persisted }: Pick<RunContext, "artifacts" | "persisted">,
  write: ArtifactWrite,
): OperationArtifact | undefined {
  const known = write.persisted ? persisted : artifacts;
  return Object.hasOwn(known, write.tag) ? known[write.tag] : undefined;
}

/** State that one worker keeps while it executes a run. */
export interface RunContext {
  /** Span of the run's work. */
  readonly span: TraceSpan;
  services: EngineServices;
  input: RunInput;
  plan: RunPlan;
  lease: RunLease;
  /** By index of the plan. */
  records: readonly OperationRecord[];
  /** By `hook/operationId`. */
  recordsByKey: ReadonlyMap<string, OperationRecord>;
  readonly state: RunState;
  writer: RunWriter;
  readonly timers: RunTimers;
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
  /** How many calls of the main model were started, including those before a crash. */
  mainAttempts: number;
  mainCall?: MainCall | undefined;
  /** Resolves once the answer that is being saved is stored. */
  saving?: Promise<void> | undefined;
  /** Merged settings of the main call, from the engine, the profile and the start. */
  turn: TurnSettings;
  /** Tool calls of the main model and their results, by position. Results that have not arrived are missing. */
  turnMessages: (TurnMessageStep | undefined)[];
  /** The first request to stop, which waits until the run is loaded. */
  asked?: { cause: StopCause; reason: string | undefined } | undefined;
  /** Resolves if the stores do not answer after a stop. */
  readonly abandoned: Deferred<void>;
  isLoaded: boolean;
  /** True once the run must end, so that nothing new starts. */
  isStopping: boolean;
  /** True once this worker has left the run. */
  isOver: boolean;
  /** Adds an event with the next number, unless it was stored before a crash. */
  emit(body: RunEventBody, ts?: number): void;
  dispatch(transition: RunTransition): void;
  /** Stops the worker: the journal or the lease is lost, or a store failed with the error. */
  giveUp(error: unknown): void;
  /** Ends the work of this worker. Undefined: another worker continues the run. */
  settle(result: RunResult | undefined): void;
}

/** The record of an operation. @throws RangeError if there is no such operation */
export function recordOf({ records }: RunContext, index: number): OperationRecord {
  const record = records[index];
  if (record === undefined) throw new RangeError(`The run has no operation ${index}.`);
  return record;
}

/** The messages of the turn before its answer. */
export function turnMessagesOf({ turnMessages }: RunContext): ChatMessage[] {
  return turnMessages.flatMap((one) => one?.message ?? []);
}
