import type { Clock } from "@ccl/core";

import type { Hook, OperationDefinition } from "../operation/operation-definition.ts";
import type { SkippedReason } from "../operation/operation-outcome.ts";
import type { OperationStatus } from "../run/run-result.ts";
import type { EventError, RunEvent, RunEventBody, RunEventStamp } from "./run-event.ts";

/** What all events of a worker carry. */
export type EventStamp = Readonly<Omit<RunEventStamp, "seq" | "ts">>;

/** Where the events of a run get their stamps from. */
export interface EventSource extends EventStamp {
  readonly clock: Clock;
  /** Of the last event. */
  seq: number;
}

type PhaseChange = Extract<RunEventBody, { type: "run.phase_changed" }>;

/** The body as an event with the source's next number. It is filled in place: a spread with fields after it takes sixty times as long. */
export function stampEvent(source: EventSource, body: RunEventBody): RunEvent {
  // Half of what a run says.
  if (body.type === "run.phase_changed") return phaseChanged(source, body);
  const { runId, chatId, branchId, userMessageId, trigger, epoch, clock } = source;
  source.seq += 1;
  const stamp = {
    runId,
    chatId,
    branchId,
    userMessageId,
    trigger,
    seq: source.seq,
    epoch,
    ts: clock.now(),
  };
  return Object.assign(body, stamp);
}

function phaseChanged(source: EventSource, { phase, hook }: PhaseChange): RunEvent {
  source.seq += 1;
  const event: PhaseChange & RunEventStamp = {
    type: "run.phase_changed",
    runId: source.runId,
    chatId: source.chatId,
    branchId: source.branchId,
    userMessageId: source.userMessageId,
    trigger: source.trigger,
    seq: source.seq,
    epoch: source.epoch,
    ts: source.clock.now(),
    phase,
  };
  if (hook !== undefined) event.hook = hook;
  return event;
}

/** Which operation an event is about. */
interface EventOperation {
  operationId: string;
  hook: Hook;
  definition: Pick<OperationDefinition, "name">;
}

/** How far an operation has come, as its events tell it; what is undefined is left out. */
interface EventProgress {
  status: OperationStatus | undefined;
  skippedReason: SkippedReason | undefined;
  error: EventError | undefined;
  startedAt: number | undefined;
  finishedAt: number | undefined;
  /** The attempt that was the first of this worker. */
  firstAttempt: number;
  attempts: number;
  detached: boolean;
}

/** Which event it is to be, and what of. */
export interface EventOf {
  seq: number;
  operation: EventOperation;
  progress: EventProgress;
}

/** That an operation has started. */
export function operationStarted(
  source: EventStamp,
  { seq, operation, progress }: EventOf,
): RunEvent {
  return {
    type: "operation.started",
    runId: source.runId,
    chatId: source.chatId,
    branchId: source.branchId,
    userMessageId: source.userMessageId,
    trigger: source.trigger,
    seq,
    epoch: source.epoch,
    ts: progress.startedAt ?? 0,
    operationId: operation.operationId,
    operationName: operation.definition.name,
    hook: operation.hook,
    attempt: progress.firstAttempt,
  };
}

/** How an operation has ended. */
export function operationFinished(
  source: EventStamp,
  { seq, operation, progress }: EventOf,
): RunEvent {
  const { status = "aborted", startedAt, skippedReason, error, finishedAt = 0 } = progress;
  const event: Extract<RunEvent, { type: "operation.finished" }> = {
    type: "operation.finished",
    runId: source.runId,
    chatId: source.chatId,
    branchId: source.branchId,
    userMessageId: source.userMessageId,
    trigger: source.trigger,
    seq,
    epoch: source.epoch,
    ts: finishedAt,
    operationId: operation.operationId,
    operationName: operation.definition.name,
    hook: operation.hook,
    status,
    finishedAt,
  };
  if (startedAt !== undefined) {
    event.startedAt = startedAt;
    event.attempts = progress.attempts;
  }
  if (skippedReason !== undefined) event.skippedReason = skippedReason;
  if (error !== undefined) event.error = error;
  if (progress.detached) event.detached = true;
  return event;
}
