import type { Clock } from "@ccl/core";

import type { RunEvent, RunEventBody, RunEventStamp } from "./run-event.ts";

/** Where the events of a run get their stamps from. */
export interface EventSource {
  readonly runId: string;
  readonly chatId: string;
  readonly branchId: string;
  readonly userMessageId: string;
  readonly trigger: RunEventStamp["trigger"];
  readonly epoch: number;
  readonly clock: Clock;
  /** Of the last event. */
  seq: number;
}

/** An event with the source's next number. */
export function stampEvent(source: EventSource, body: RunEventBody): RunEvent {
  const { runId, chatId, branchId, userMessageId, trigger, epoch, clock } = source;
  source.seq += 1;
  return { ...body, runId, chatId, branchId, userMessageId, trigger, seq: source.seq, epoch, ts: clock.now() };
}

type BodyOf<Type extends RunEventBody["type"]> = Omit<Extract<RunEventBody, { type: Type }>, "type">;

/** `stampEvent` without a copy: operations start and end so often that spreading made up most of a short run. */
export function operationStarted(source: EventSource, body: BodyOf<"operation.started">): RunEvent {
  source.seq += 1;
  return {
    type: "operation.started",
    runId: source.runId,
    chatId: source.chatId,
    branchId: source.branchId,
    userMessageId: source.userMessageId,
    trigger: source.trigger,
    seq: source.seq,
    epoch: source.epoch,
    ts: source.clock.now(),
    operationId: body.operationId,
    operationName: body.operationName,
    hook: body.hook,
    attempt: body.attempt,
  };
}

/** As `operationStarted`. */
export function operationFinished(source: EventSource, body: BodyOf<"operation.finished">): RunEvent {
  source.seq += 1;
  const event: RunEvent = {
    type: "operation.finished",
    runId: source.runId,
    chatId: source.chatId,
    branchId: source.branchId,
    userMessageId: source.userMessageId,
    trigger: source.trigger,
    seq: source.seq,
    epoch: source.epoch,
    ts: body.finishedAt,
    operationId: body.operationId,
    operationName: body.operationName,
    hook: body.hook,
    status: body.status,
    finishedAt: body.finishedAt,
  };
  if (body.startedAt !== undefined) event.startedAt = body.startedAt;
  if (body.attempts !== undefined) event.attempts = body.attempts;
  if (body.skippedReason !== undefined) event.skippedReason = body.skippedReason;
  if (body.error !== undefined) event.error = body.error;
  if (body.detached === true) event.detached = true;
  return event;
}
