import type { ChatMessage, ModelUsage, Part } from "@ccl/core";

import type {
  CommitLogEntry,
  MainLlmStep,
  RunEvent,
  RunFinishReason,
  RunResult,
} from "../events/run-event.ts";
import type {
  Hook,
  OperationFailure,
  OperationStatus,
  SkippedReason,
  Trigger,
} from "../operation/operation-definition.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import type {
  AssistantVariant,
  ChatStore,
  PageRequest,
  StoreCall,
  TurnCommit,
} from "./chat-store.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";

/** How one attempt of an operation ended. */
export interface OperationStep {
  kind: "operation";
  hook: Hook;
  operationId: string;
  /** Counts from 1. */
  attempt: number;
  status: OperationStatus;
  /** If true, another attempt follows, so the operation has not ended. */
  willRetry?: boolean | undefined;
  /** True if a condition skipped it, or one of its dependencies. This does not fail a required operation. */
  isExempt?: boolean | undefined;
  skippedReason?: SkippedReason | undefined;
  error?: OperationFailure | undefined;
  startedAt?: number | undefined;
  finishedAt: number;
  detached?: boolean | undefined;
  lateStatus?: OperationStatus | undefined;
  /** Present if the status is `done`. */
  effects?: readonly OperationEffect[] | undefined;
  inputsSummary?: Record<string, unknown> | undefined;
  outputsSummary?: Record<string, unknown> | undefined;
}

/** How the main call ended. */
export interface MainStep {
  kind: "main_llm";
  attempt: number;
  /** False if there was no prompt to send. */
  executed: boolean;
  status: "done" | "error" | "aborted";
  finishReason: RunFinishReason;
  text: string;
  partial: boolean;
  error?: OperationFailure | undefined;
  usage?: ModelUsage | undefined;
  /** Absent if no call was started. */
  steps?: readonly MainLlmStep[] | undefined;
}

/** A message in the turn before its answer: the model's tool calls, or a result. */
export interface TurnMessageStep {
  kind: "turn_message";
  /** Counts from 0. */
  position: number;
  message: ChatMessage;
  /** For a message of the model: the calls that produced it, including failed calls to other models. */
  steps?: readonly MainLlmStep[] | undefined;
}

/** A person's answer to a waiting operation. */
export interface AnswerStep {
  kind: "answer";
  hook: Hook;
  operationId: string;
  /** Any JSON value. */
  value: unknown;
}

/** A hook was committed, or its commit failed. */
interface CommitStep {
  kind: "commit";
  hook: Hook;
  entries: readonly CommitLogEntry[];
}

/** The run must end. */
interface StopStep {
  kind: "stop";
  cause: "user_abort" | "deadline";
  reason?: string | undefined;
}

/** A worker has resumed the run. */
interface TakeOverStep {
  kind: "take_over";
  /** Counts from 1. */
  number: number;
}

/** A completed unit of a run's work, which is never repeated. JSON. */
export type RunStep =
  | OperationStep
  | MainStep
  | TurnMessageStep
  | AnswerStep
  | CommitStep
  | TakeOverStep
  | StopStep;

/** Returns the key that identifies a step within its run. It is the same in every process. */
export function runStepKey(step: RunStep): string {
  switch (step.kind) {
    case "operation":
      return `operation/${step.hook}/${step.attempt}/${step.operationId}`;
    case "main_llm":
      return `main_llm/${step.attempt}`;
    case "turn_message":
      return `turn_message/${step.position}`;
    case "answer":
      return `answer/${step.hook}/${step.operationId}`;
    case "commit":
      return `commit/${step.hook}`;
    case "take_over":
      return `take_over/${step.number}`;
    case "stop":
      return "stop";
  }
}

/** Input of a run, sufficient to resume it in another process. JSON. */
export interface RunInput {
  /** Format of this record and of the run's steps and events. An engine skips runs in other formats. */
  formatVersion: 1;
  runId: string;
  chatId: string;
  branchId: string;
  trigger: Trigger;
  userMessageId: string;
  /** Message of a new turn, if the chat does not contain it yet. */
  userMessage?: string | Part[] | undefined;
  /** Id of the answer. Chosen at the start, so that a repeated call writes the same variant. */
  assistantVariantId: string;
  /** Snapshot from the start of the run. If absent, the run is the main call alone. */
  profile?: OperationProfile | undefined;
  /** Settings of the main call passed to the start. */
  turn?: TurnSettings | undefined;
  initiator?: string | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Milliseconds since the epoch. */
  deadlineMs?: number | undefined;
  /** The caller's trace, as a `traceparent`. A worker that resumes the run continues it. */
  trace?: string | undefined;
}

/** Identifies a repeated request. */
interface ClientRequest {
  clientRequestId: string;
  /** SHA-256 of the request's canonical JSON. */
  payloadHash: string;
  /** Milliseconds since the epoch. After that the id may be reused. */
  keptUntilMs: number;
}

/** Identifies the workers that own leases. */
export interface LeaseOwners {
  /** This worker's name in leases. Defaults to a new id. */
  owner?: string | undefined;
  /**
   * True only if that worker has certainly ended, which frees its leases. File-based stores detect this per machine.
   */
  isOwnerDead?: ((owner: string) => Promise<boolean>) | undefined;
}

/** A worker's request for a lease, and how long the lease lasts. */
export interface LeaseRequest {
  /** Name of the worker. A worker never reacquires a lease that it holds. */
  owner: string;
  ttlMs: number;
  /** The worker's time in milliseconds since the epoch. Leases that expired before it are free. */
  nowMs: number;
}

/** The right to execute a run. */
export interface RunLease {
  runId: string;
  owner: string;
  /** Increases with each lease that the store grants on the branch, across its runs. Counts from 1. */
  fencingToken: number;
  expiresAtMs: number;
}

/** A new run with its lease. */
export interface NewRun {
  input: RunInput;
  clientRequest?: ClientRequest | undefined;
  lease: LeaseRequest;
}

/** Outcome of a creation. The store checks for a known request first, then for an active run of the (chat, branch). */
export type RunCreation =
  | { status: "created"; lease: RunLease }
  /** The same request was already sent with the same payload. */
  | { status: "duplicate"; runId: string }
  /** The same request id was already used with another payload. */
  | { status: "payload_conflict"; runId: string }
  /** An unfinished run holds the (chat, branch). */
  | { status: "active"; runId: string };

/** A request to abort a run. */
export interface AbortRequest {
  /** Truncated and masked. */
  reason?: string | undefined;
}

/** Outcome of a renewal. */
export type LeaseRenewal =
  | { status: "renewed"; lease: RunLease; abort?: AbortRequest | undefined }
  | { status: "lost" };

/** Appended to a run as a whole or not at all. */
export interface RunAppend {
  runId: string;
  fencingToken: number;
  /** Numbered consecutively after the stored events. */
  events: readonly RunEvent[];
  /** For each key, the first step is kept. */
  steps: readonly RunStep[];
  /** Ends the run and frees its lease and the (chat, branch). A `run.finished` among the events has the same result. */
  result?: RunResult | undefined;
  /** Stored as a variant of the turn and selected. Replaces a variant with the same id. */
  answer?: AssistantVariant | undefined;
  /** Applied to the turn and its state. Operations that were applied before are skipped. */
  commit?: TurnCommit | undefined;
}

/**
 * Outcome of an append. `stale_lease`: a higher token was granted, or the run has ended. Nothing was stored. Entries
 * already appended with the same token are skipped, so an append may be repeated.
 */
export interface AppendOutcome {
  status: "appended" | "stale_lease";
}

/** A run as stored. */
export interface StoredRun {
  input: RunInput;
  /** In append order. For an ended run, a store may omit the main call and its messages. */
  steps: RunStep[];
  /** Number of the last event. 0 before the first. */
  lastSeq: number;
  /** Present once the run has ended. */
  result?: RunResult | undefined;
  abort?: AbortRequest | undefined;
  /** The current lease, or the last one. */
  lease?: RunLease | undefined;
}

/** Which events to read. */
export interface ReadEventsOptions extends StoreCall {
  /** A whole number, 0 by default. Anything else is rejected with `invalid_options`. */
  afterSeq?: number | undefined;
  /** Defaults to 1,000, up to 10,000. */
  limit?: number | undefined;
}

/** Which runs to list. */
export interface ListRunsOptions extends PageRequest {
  /** Also lists ended runs, newest first. By default only unfinished ones. */
  all?: boolean | undefined;
}

/** A page of runs, by id in code units: ascending, or descending with `all`. */
export interface RunPage {
  runs: { runId: string; lease?: RunLease | undefined }[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** Which finished runs to delete. */
export interface PruneRunsOptions extends StoreCall {
  /** Milliseconds since the epoch. Deletes runs that ended before it, oldest first. */
  endedBeforeMs: number;
  /** The caller's time. Keeps runs whose request ids are still remembered at that time. */
  nowMs: number;
  /** Defaults to 1,000, up to 10,000. */
  limit?: number | undefined;
}

/** Stores runs, so that one worker at a time executes each run and another can resume it after a crash. */
export interface RunStore {
  /** The chat in the same records, so that a turn and its run are stored in one step. */
  readonly chat: ChatStore;
  /**
   * Creates the run, adds its message to the chat if missing, reserves the (chat, branch) and leases the run. Otherwise
   * does nothing and returns why. Atomic.
   */
  createRun(run: NewRun, options?: StoreCall): Promise<RunCreation>;
  loadRun(runId: string, options?: StoreCall): Promise<StoredRun | undefined>;
  /** Returns undefined if the run has ended or is leased. @throws OperationsError `unknown_run` */
  acquireLease(
    runId: string,
    request: LeaseRequest,
    options?: StoreCall,
  ): Promise<RunLease | undefined>;
  /** `lost`: the run has ended, or another lease was granted. Renews an expired lease if it is still the last one. */
  renewLease(
    lease: RunLease,
    request: { ttlMs: number; nowMs: number },
    options?: StoreCall,
  ): Promise<LeaseRenewal>;
  /** Frees the run immediately. Does nothing if the lease is already lost. */
  releaseLease(lease: RunLease, options?: StoreCall): Promise<void>;
  append(append: RunAppend, options?: StoreCall): Promise<AppendOutcome>;
  /** Returns events ordered by `seq`. @throws OperationsError `unknown_run` */
  readEvents(runId: string, options?: ReadEventsOptions): Promise<RunEvent[]>;
  /** Stores an abort, which the lease's holder reads on renewal. The first one is kept. False if the run has ended. */
  requestAbort(runId: string, request: AbortRequest, options?: StoreCall): Promise<boolean>;
  /** Stores the answer as a step, without a lease. The first one is kept. False if one exists or the run has ended. */
  answer(runId: string, answer: AnswerStep, options?: StoreCall): Promise<boolean>;
  listRuns(options?: ListRunsOptions): Promise<RunPage>;
  /** Deletes finished runs with their events and steps. Returns their number. Keeps chats and sessions. */
  prune(options: PruneRunsOptions): Promise<number>;
}
