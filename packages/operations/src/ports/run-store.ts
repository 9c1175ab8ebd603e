import type { Part } from "@ccl/core";

import type { RunEvent } from "../events/run-event.ts";
import type { Trigger } from "../operation/operation-definition.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import type { RunResult } from "../run/run-result.ts";
import type { AnswerStep, RunStep } from "./run-step.ts";
import type { StoreCall } from "./store-call.ts";

/** What a run was started with; enough to go on with it elsewhere. JSON. */
export interface RunInput {
  /** Of this record and the run's steps and events; an engine leaves a run in another format to others. */
  formatVersion: 1;
  runId: string;
  chatId: string;
  branchId: string;
  trigger: Trigger;
  userMessageId: string;
  /** Of a new turn whose message is not in the chat yet. */
  userMessage?: string | Part[] | undefined;
  /** Id of the answer, settled beforehand so that a repeated call writes the same variant. */
  assistantVariantId: string;
  /** As it was when the run started. Absent: the main call alone. */
  profile?: OperationProfile | undefined;
  /** How the main model is asked, where the start says so. */
  turn?: TurnSettings | undefined;
  initiator?: string | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Milliseconds since the epoch. */
  deadlineMs?: number | undefined;
  /** What the run belongs to, as a `traceparent`; the worker that resumes it continues that trace. */
  trace?: string | undefined;
}

/** What makes a repeated request the same request. */
interface ClientRequest {
  clientRequestId: string;
  /** SHA-256 of the request's canonical JSON. */
  payloadHash: string;
  /** Milliseconds since the epoch; from then on the id may be used anew. */
  keptUntilMs: number;
}

/** Who the workers behind leases are. */
export interface LeaseOwners {
  /** Name of this worker in leases; default a new id. */
  owner?: string | undefined;
  /** True only where it is sure that a worker has ended: its leases are over then. Stores in a file bring it for processes of this machine. */
  isOwnerDead?: ((owner: string) => Promise<boolean>) | undefined;
}

/** Who wants to work on a run, and for how long at a time. */
export interface LeaseRequest {
  /** A name of the worker; the same one never gets a lease that it holds a second time. */
  owner: string;
  ttlMs: number;
  /** The worker's time in milliseconds since the epoch; leases that ended before it are free. */
  nowMs: number;
}

/** The right to work on a run. */
export interface RunLease {
  runId: string;
  owner: string;
  /** Rises with each lease that the store gives out, over all runs; from 1. */
  fencingToken: number;
  expiresAtMs: number;
}

/** A new run with its lease. */
export interface NewRun {
  input: RunInput;
  clientRequest?: ClientRequest | undefined;
  lease: LeaseRequest;
}

/** What came of a new run. A known request is looked for first, then an active run of the (chat, branch). */
export type RunCreation =
  | { status: "created"; lease: RunLease }
  /** The same request came before, with the same payload. */
  | { status: "duplicate"; runId: string }
  /** The same request id came before, with another payload. */
  | { status: "payload_conflict"; runId: string }
  /** An unfinished run holds the (chat, branch). */
  | { status: "active"; runId: string };

/** That somebody wants a run to end. */
export interface AbortRequest {
  /** Bounded and masked. */
  reason?: string | undefined;
}

/** What a renewal says. */
export type LeaseRenewal =
  | { status: "renewed"; lease: RunLease; abort?: AbortRequest | undefined }
  | { status: "lost" };

/** What is added to a run, all of it or none. */
export interface RunAppend {
  runId: string;
  fencingToken: number;
  /** Gapless after what is stored. */
  events: readonly RunEvent[];
  /** Of one key the first stays. */
  steps: readonly RunStep[];
  /** Ends the run: the lease and the (chat, branch) are free then. A `run.finished` among the events has the same. */
  result?: RunResult | undefined;
}

/**
 * What became of an append. `stale_lease`: a higher token was given out, or the run has ended; nothing was added. What
 * the same token has appended already is passed over, so that an append may be repeated.
 */
export type AppendOutcome = "appended" | "stale_lease";

/** A run as stored. */
export interface StoredRun {
  input: RunInput;
  /** In the order in which they were appended; of an ended run a store may leave out the main call and its messages. */
  steps: RunStep[];
  /** Of the last event; 0 before the first. */
  lastSeq: number;
  /** Present once it has ended. */
  result?: RunResult | undefined;
  abort?: AbortRequest | undefined;
  /** Of the lease that is held or was held last. */
  lease?: RunLease | undefined;
}

/** Which events are read. */
export interface ReadEventsOptions extends StoreCall {
  /** A whole number, 0 by default; any other is `invalid_options`. */
  afterSeq?: number | undefined;
  /** 1,000 by default, at most 10,000. */
  limit?: number | undefined;
}

/** Which runs are listed. */
export interface ListRunsOptions extends StoreCall {
  /** Those that have ended too, in falling order: the newest first. Default unfinished ones only. */
  all?: boolean | undefined;
  /** From the page before. */
  cursor?: string | undefined;
  /** 100 by default, up to 1,000. */
  limit?: number | undefined;
}

/** A page of runs, in the order of their ids' code units. */
export interface RunPage {
  runs: { runId: string; lease?: RunLease | undefined }[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** Which finished runs are deleted. */
export interface PruneRunsOptions extends StoreCall {
  /** Milliseconds since the epoch: those that ended before it, the oldest first. */
  endedBeforeMs: number;
  /** The caller's time; runs of request ids that are still remembered then stay. */
  nowMs: number;
  /** 1,000 by default, at most 10,000. */
  limit?: number | undefined;
}

/** Where runs are kept, so that each is worked on by one worker at a time and goes on after a crash. */
export interface RunStore {
  /** Makes the run, takes the (chat, branch) for it and leases it, or does nothing and says why; atomic. */
  createRun(run: NewRun, options?: StoreCall): Promise<RunCreation>;
  loadRun(runId: string, options?: StoreCall): Promise<StoredRun | undefined>;
  /** Undefined where the run has ended, or a lease on it is held; @throws OperationsError `unknown_run` */
  acquireLease(
    runId: string,
    request: LeaseRequest,
    options?: StoreCall,
  ): Promise<RunLease | undefined>;
  /** `lost`: the run has ended or another lease was given out. One that is merely late is renewed. */
  renewLease(
    lease: RunLease,
    request: { ttlMs: number; nowMs: number },
    options?: StoreCall,
  ): Promise<LeaseRenewal>;
  /** Frees the run for others at once; nothing where the lease is lost. */
  releaseLease(lease: RunLease, options?: StoreCall): Promise<void>;
  /** Adds to many runs in one go; gives an outcome for each, in the same order. */
  append(appends: readonly RunAppend[], options?: StoreCall): Promise<AppendOutcome[]>;
  /** In the order of `seq`; @throws OperationsError `unknown_run` */
  readEvents(runId: string, options?: ReadEventsOptions): Promise<RunEvent[]>;
  /** For the worker that holds the lease, which sees it when it renews; the first stays. False where the run has ended. */
  requestAbort(runId: string, request: AbortRequest, options?: StoreCall): Promise<boolean>;
  /** Keeps the answer among the run's steps, without a lease. False where the run has ended, or has an answer, which stays. */
  answer(runId: string, answer: AnswerStep, options?: StoreCall): Promise<boolean>;
  listRuns(options?: ListRunsOptions): Promise<RunPage>;
  /** Deletes finished runs with their events and steps; gives how many. Chats and sessions stay. */
  prune(options: PruneRunsOptions): Promise<number>;
}
