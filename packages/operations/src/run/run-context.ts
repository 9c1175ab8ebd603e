import type { TraceSpan } from "@ccl/core/tracing";
import type { ChatMessage } from "@ccl/core";

import type { ArtifactWrite, OperationArtifact } from "../artifact/operation-artifact.ts";
import type { CommitLogEntry, MainLlmRun, RunEventBody, RunResult } from "../events/run-event.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { VariantState } from "../ports/chat-store.ts";
import type { MainStep, RunInput, RunLease, TurnMessageStep } from "../ports/run-store.ts";
import type { EngineServices } from "./engine-options.ts";
import type { Deferred } from "./live-run.ts";
import type { OperationRecord } from "./operation-record.ts";
import type { RunPlan } from "./plan-run.ts";
import type { RunWriter } from "./run-journal.ts";
import type { RunState, RunTransition, StopCause } from "./reduce-run.ts";

/** Timers that are cleared when the run ends. */
export interface RunTimers {
  set(delayMs: number, callback: () => void): void;
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

/**
 * Returns the artifact that a write would replace: the stored one, or for a `run_only` write, the one currently visible
 * under the tag.
 */
export function previousArtifact(
  { artifacts, persisted }: Pick<RunContext, "artifacts" | "persisted">,
  write: ArtifactWrite,
): OperationArtifact | undefined {
  const known = write.persisted ? persisted : artifacts;
  return Object.hasOwn(known, write.tag) ? known[write.tag] : undefined;
}

/** A worker's state while it executes a run. */
export interface RunContext {
  /** Span of the run's work. */
  readonly span: TraceSpan;
  services: EngineServices;
  input: RunInput;
  plan: RunPlan;
  lease: RunLease;
  /** By index in the plan. */
  records: readonly OperationRecord[];
  /** By `hook/operationId`. */
  recordsByKey: ReadonlyMap<string, OperationRecord>;
  readonly state: RunState;
  writer: RunWriter;
  readonly timers: RunTimers;
  /** Aborted when the run is aborted. */
  signal: AbortSignal;
  abort(reason: unknown): void;
  /** The state that will be stored with the answer. Undefined without a profile. */
  kept?: VariantState | undefined;
  /** The turn's position in its branch, from 1. */
  turnPosition: number;
  /** The selected messages up to and including the user's, as loaded. Oldest first. Frozen. */
  history: readonly ChatMessage[];
  /** Artifacts at the start of the current hook. */
  artifacts: ArtifactMap;
  /** Artifacts in the store. A `run_only` value in `artifacts` may shadow one of these. */
  persisted: ArtifactMap;
  /** Versions that this run has committed, by tag, in commit order. Undefined if there are none. */
  written?:
    | Map<string, { artifact: OperationArtifact; operationId: string; hook: Hook }>
    | undefined;
  commitLog: CommitLogEntry[];
  main: MainLlmRun;
  /** How many main model calls were started, including those before a crash. */
  mainAttempts: number;
  mainCall?: MainCall | undefined;
  /** Resolves once the answer has been stored. */
  saving?: Promise<void> | undefined;
  /** Merged settings of the main call, from the engine, the profile and the start. */
  turn: TurnSettings;
  /** The main model's tool calls and their results, by position. Results that have not arrived are missing. */
  turnMessages: (TurnMessageStep | undefined)[];
  /** The first stop request. Applied once the run is loaded. */
  stopRequest?: { cause: StopCause; reason: string | undefined } | undefined;
  /** Resolves when the worker gives up on stores that have not responded since a stop. */
  readonly abandoned: Deferred<void>;
  isLoaded: boolean;
  /** True once the run must end and nothing new may start. */
  isStopping: boolean;
  /** True once the run's result is being built and stored. */
  isEnding: boolean;
  /** True once this worker has left the run. */
  isOver: boolean;
  /** Emits an event with the next sequence number, unless it was already stored before a crash. */
  emit(body: RunEventBody, ts?: number): void;
  dispatch(transition: RunTransition): void;
  /** Stops the worker, because the journal or lease is lost or a store failed with the error. */
  giveUp(error: unknown): void;
  /** Ends this worker's part in the run. An undefined result means that another worker continues it. */
  settle(result: RunResult | undefined): void;
}

/** Returns the record of an operation. @throws RangeError if it does not exist */
export function recordOf({ records }: RunContext, index: number): OperationRecord {
  const record = records[index];
  if (record === undefined) throw new RangeError(`The run has no operation ${index}.`);
  return record;
}

/** Returns the messages that precede the turn's answer. */
export function turnMessagesOf({ turnMessages }: RunContext): ChatMessage[] {
  return turnMessages.flatMap((one) => one?.message ?? []);
}
