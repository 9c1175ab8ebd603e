import { conditionsHold } from "../kinds/condition-holds.ts";
import type { OperationConfig } from "../operation/operation-config.ts";
import type { RunEventBody } from "../events/run-event.ts";
import type { OperationDebug, OperationOutcome } from "../operation/operation-outcome.ts";
import type { OperationStep } from "../ports/run-step.ts";
import { boundSummary } from "./bound-summary.ts";
import { checkOutcome, failedOutcome, outcomeOfThrown, type CheckedOutcome } from "./check-outcome.ts";
import type { ConcurrencyClass } from "./concurrency-limiter.ts";
import { createContext } from "./create-context.ts";
import { createOperationView } from "./operation-view.ts";
import type { PlannedOperation } from "./plan-run.ts";
import { itemAt } from "./persistent-array.ts";
import { retryDelay, timeoutOf } from "./retry-policy.ts";
import { releaseRecord, tellNews, type OperationRecord, type RunDesk } from "./run-desk.ts";
import type { OperationEnd, RunTransition } from "./run-state.ts";

/** One operation at work. */
interface Work {
  desk: RunDesk;
  operation: PlannedOperation;
  record: OperationRecord;
}

/** Runs an operation as soon as there is a place for it, and tells the run how it ended. */
export function startOperation(desk: RunDesk, index: number): void {
  const operation = desk.plan.operations[index];
  const record = desk.records[index];
  if (operation === undefined || record === undefined) return;
  const { config, definition } = operation;
  const work = { desk, operation, record };
  if (config.when !== undefined && !isWanted(desk, index, config.when)) {
    endWork(work, conditionFalse);
    return;
  }
  const { providerRef } = config.params;
  const { limiter } = desk.services;
  const place = limiter.classOf(definition.kind, typeof providerRef === "string" ? providerRef : undefined);
  const cancel = limiter.request(place, () => begin(work, place));
  if (cancel !== undefined) record.cancelWait = cancel;
}

const noEffects: CheckedOutcome["effects"] = Object.freeze([]);
const conditionFalse: CheckedOutcome = { status: "skipped", effects: noEffects, skippedReason: "condition_false" };

function isWanted(desk: RunDesk, index: number, conditions: NonNullable<OperationConfig["when"]>): boolean {
  return conditionsHold(conditions, createOperationView(desk, index).artifacts());
}

function begin(work: Work, place: ConcurrencyClass): void {
  const { desk, operation, record } = work;
  record.cancelWait = undefined;
  // The run may have been stopped while the operation waited for a place.
  if (desk.isStopping || itemAt(desk.state.progress, operation.index) !== "ready") {
    desk.services.limiter.release(place);
    return;
  }
  record.place = place;
  record.startedAt = desk.services.clock.now();
  record.attempts += 1;
  desk.dispatch({ type: "operation_started", index: operation.index });
  const { operationId, hook, definition } = operation;
  desk.emit({ type: "operation.started", operationId, operationName: definition.name, hook, attempt: record.attempts });
  attempt(work);
}

function attempt(work: Work): void {
  const { desk, operation, record } = work;
  const handler = desk.handlers[operation.index];
  const number = record.attempts;
  const timeoutMs = timeoutOf(operation);
  const timed = timeoutMs === undefined ? undefined : startTimer(work, timeoutMs);
  if (timed !== undefined) record.stopTimer = timed.stop;
  const signal = timed?.signal ?? desk.controller.signal;
  const isCurrent = (): boolean =>
    record.status === undefined && record.attempts === number && timed?.isOver() !== true;
  const settle = (outcome: CheckedOutcome): void => {
    timed?.stop();
    if (isCurrent()) afterAttempt(work, outcome);
    else reportLate(work, number, outcome);
  };
  const onDone = (outcome: OperationOutcome): void => settle(guarded(() => checkOutcome(outcome, operation)));
  const onThrown = (error: unknown): void => settle(outcomeOfThrown(error));
  try {
    const promise: unknown = handler?.(createContext(desk, operation, { attempt: number, signal }));
    if (promise instanceof Promise) promise.then(onDone, onThrown);
    else Promise.resolve(promise).then((outcome) => onDone(outcome as OperationOutcome), onThrown);
  } catch (error) {
    // Not before the caller is done with the present transition.
    queueMicrotask(() => onThrown(error));
  }
}

function guarded(check: () => CheckedOutcome): CheckedOutcome {
  try {
    return check();
  } catch (error) {
    return outcomeOfThrown(error);
  }
}

interface Timed {
  signal: AbortSignal;
  isOver(): boolean;
  stop(): void;
}

/** A signal of its own for the attempt; at its time the attempt has failed, whether it heeds the signal or not. */
function startTimer(work: Work, timeoutMs: number): Timed {
  const { desk } = work;
  const run = desk.controller.signal;
  const controller = new AbortController();
  let isOver = false;
  const onAbort = (): void => controller.abort(run.reason);
  run.addEventListener("abort", onAbort, { once: true });
  const stop = (): void => {
    cancel();
    run.removeEventListener("abort", onAbort);
  };
  const cancel = desk.services.clock.schedule(timeoutMs, () => {
    stop();
    isOver = true;
    controller.abort(new DOMException("The attempt has timed out.", "TimeoutError"));
    if (work.record.status === undefined) {
      afterAttempt(work, failedOutcome("timeout", `The attempt took longer than ${timeoutMs} ms.`));
    }
  });
  return { signal: controller.signal, isOver: () => isOver, stop };
}

function afterAttempt(work: Work, outcome: CheckedOutcome): void {
  const { desk, record } = work;
  const delayMs = !desk.isStopping ? retryDelay(outcome, work) : undefined;
  if (delayMs === undefined) {
    endWork(work, outcome);
    return;
  }
  desk.writer.step({ ...stepOf(work, outcome), willRetry: true });
  const cancel = desk.services.clock.schedule(delayMs, () => {
    record.cancelWait = undefined;
    record.attempts += 1;
    attempt(work);
  });
  record.cancelWait = () => {
    cancel();
    record.cancelWait = undefined;
    endWork(work, outcome);
  };
}

/** Records how the operation ended, and lets the run go on. */
function endWork(work: Work, outcome: CheckedOutcome): void {
  const { desk, operation, record } = work;
  const isLate = desk.isStopping && outcome.status !== "aborted";
  if (isLate) record.lateStatus = outcome.status;
  const ended: CheckedOutcome = isLate ? { status: "aborted", effects: noEffects } : outcome;
  record.finishedAt = desk.services.clock.now();
  record.effects = ended.effects;
  if (outcome.debug !== undefined) addSummaries(work, outcome.debug);
  const isExempt = ended === conditionFalse;
  desk.writer.step(stepOf(work, ended));
  const end: Extract<RunTransition, { type: "operation_finished" }> = {
    type: "operation_finished",
    index: operation.index,
    status: ended.status,
  };
  if (isExempt) end.isExempt = true;
  if (ended.skippedReason !== undefined) end.skippedReason = ended.skippedReason;
  if (ended.error !== undefined) {
    end.errorCode = ended.error.code;
    end.errorMessage = ended.error.message;
  }
  recordEnd(desk, end);
  desk.dispatch(end);
}

/** Fills the record of an operation that has ended, and announces it. */
export function recordEnd(desk: RunDesk, end: OperationEnd): void {
  const operation = desk.plan.operations[end.index];
  const record = desk.records[end.index];
  if (operation === undefined || record === undefined || record.status !== undefined) return;
  record.status = end.status;
  if (end.skippedReason !== undefined) record.skippedReason = end.skippedReason;
  if (end.errorCode !== undefined) record.error = { code: end.errorCode, message: end.errorMessage ?? "" };
  if (end.detached === true) record.detached = true;
  record.finishedAt ??= desk.services.clock.now();
  releaseRecord(record, desk.services.limiter);
  if (record.hasNews || record.effects.length > 0) tellNews(desk, operation.index);
  announceEnd(desk, operation, record);
}

function announceEnd(
  desk: RunDesk,
  { operationId, definition, hook }: PlannedOperation,
  record: OperationRecord,
): void {
  const { status = "aborted", skippedReason, error, startedAt, finishedAt = 0, attempts } = record;
  const event: Extract<RunEventBody, { type: "operation.finished" }> = {
    type: "operation.finished",
    operationId,
    operationName: definition.name,
    hook,
    status,
    finishedAt,
  };
  if (startedAt !== undefined) {
    event.startedAt = startedAt;
    event.attempts = attempts;
  }
  if (skippedReason !== undefined) event.skippedReason = skippedReason;
  if (error !== undefined) event.error = error;
  if (record.detached) event.detached = true;
  desk.emit(event);
}

function stepOf({ operation, record }: Work, outcome: CheckedOutcome): OperationStep {
  const { startedAt, finishedAt, lateStatus, inputsSummary, outputsSummary } = record;
  const step: OperationStep = {
    kind: "operation",
    hook: operation.hook,
    operationId: operation.operationId,
    attempt: Math.max(1, record.attempts),
    status: outcome.status,
    finishedAt: finishedAt ?? startedAt ?? 0,
  };
  if (startedAt !== undefined) step.startedAt = startedAt;
  if (outcome === conditionFalse) step.isExempt = true;
  if (outcome.skippedReason !== undefined) step.skippedReason = outcome.skippedReason;
  if (outcome.error !== undefined) step.error = outcome.error;
  if (outcome.effects.length > 0) step.effects = outcome.effects;
  if (lateStatus !== undefined) step.lateStatus = lateStatus;
  if (inputsSummary !== undefined) step.inputsSummary = inputsSummary;
  if (outputsSummary !== undefined) step.outputsSummary = outputsSummary;
  return step;
}

function addSummaries({ desk, operation, record }: Work, debug: OperationDebug): void {
  const { maxSummaryChars, maxDebugChars } = desk.services.limits;
  const limits =
    operation.config.debug?.enabled === true
      ? { maxChars: maxSummaryChars + 2 * maxDebugChars, maxTextChars: maxDebugChars }
      : { maxChars: maxSummaryChars, maxTextChars: 1_024 };
  record.inputsSummary = boundSummary(debug.inputsSummary, limits);
  record.outputsSummary = boundSummary(debug.outputsSummary, limits);
}

function reportLate({ desk, operation }: Work, attempt: number, { status }: CheckedOutcome): void {
  const { operationId, hook } = operation;
  try {
    desk.services.onLateResult({ runId: desk.input.runId, operationId, hook, attempt, status });
  } catch {
    // Whoever listens is a guest.
  }
}
