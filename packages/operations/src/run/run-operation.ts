import { tellGuest } from "../events/tell-guest.ts";
import { conditionsHold } from "../kinds/condition-holds.ts";
import type { OperationConfig } from "../operation/operation-config.ts";
import type { OperationDebug, OperationOutcome } from "../operation/operation-outcome.ts";
import { boundSummary } from "./bound-summary.ts";
import {
  checkOutcome,
  failedOutcome,
  outcomeOfThrown,
  type CheckedOutcome,
} from "./check-outcome.ts";
import type { ConcurrencyClass } from "./concurrency-limiter.ts";
import { createContext } from "./create-context.ts";
import { createOperationView } from "./operation-view.ts";
import { retryDelay, timeoutOf } from "./retry-policy.ts";
import { releaseRecord, tellNews } from "./run-desk.ts";
import type { Attempt, AttemptTimer, RunDesk } from "./run-desk.ts";
import { stepOf } from "./run-notes.ts";
import type { PlannedOperation } from "./plan-run.ts";
import type { OperationEnd, RunTransition } from "./run-state.ts";

/** Runs an operation as soon as there is a place for it, and tells the run how it ended. */
export function startOperation(desk: RunDesk, index: number): void {
  const operation = desk.plan.operations[index];
  const record = desk.records[index];
  const place = desk.places[index];
  if (operation === undefined || record === undefined || place === undefined) return;
  const attempt: Attempt = { desk, operation, record, number: record.attempts, timer: undefined };
  const { when } = operation.config;
  if (when !== undefined && !isWanted(desk, index, when)) {
    endWork(attempt, conditionFalse);
    return;
  }
  const { limiter } = desk.services;
  if (limiter.enter(place)) begin(attempt, place);
  else record.cancelWait = limiter.wait(place, () => begin(attempt, place));
}

const noEffects: CheckedOutcome["effects"] = Object.freeze([]);
const conditionFalse: CheckedOutcome = {
  status: "skipped",
  effects: noEffects,
  skippedReason: "condition_false",
};

function isWanted(
  desk: RunDesk,
  index: number,
  conditions: NonNullable<OperationConfig["when"]>,
): boolean {
  return conditionsHold(conditions, createOperationView(desk, index).artifacts());
}

function begin(attempt: Attempt, place: ConcurrencyClass): void {
  const { desk, operation, record } = attempt;
  record.cancelWait = undefined;
  // The run may have been stopped while the operation waited for a place. The machine hears of the start at once, not
  // after what else is to happen: it asks for nothing, and a stop has to know what runs.
  if (desk.isStopping || !desk.machine.start(operation.index)) {
    desk.services.limiter.release(place);
    return;
  }
  record.place = place;
  record.startedAt = desk.nowMs ?? desk.services.clock.now();
  record.firstAttempt = record.attempts + 1;
  desk.emitStart(operation);
  tryOnce(attempt);
}

function tryOnce(attempt: Attempt): void {
  const { desk, operation, record } = attempt;
  record.attempts += 1;
  record.attempt = attempt;
  attempt.number = record.attempts;
  const timeoutMs = timeoutOf(operation);
  if (timeoutMs !== undefined) attempt.timer = createTimer(attempt, timeoutMs);
  const onDone = (outcome: OperationOutcome): void => settle(attempt, checked(outcome, attempt));
  const onThrown = (error: unknown): void => settle(attempt, outcomeOfThrown(error));
  try {
    const promise = callHandler(attempt);
    if (promise instanceof Promise) promise.then(onDone, onThrown);
    else Promise.resolve(promise).then((outcome) => onDone(outcome as OperationOutcome), onThrown);
  } catch (error) {
    // Not before the caller is done with the present transition.
    queueMicrotask(() => onThrown(error));
  }
  desk.nowMs = undefined;
}

/** Calls the handler, or has the executor call it: the time of the attempt is that of the call. */
function callHandler(attempt: Attempt): unknown {
  const { desk, operation, timer } = attempt;
  const handler = desk.handlers[operation.index];
  const context = createContext(attempt);
  const { carryAttempt } = desk.services;
  if (carryAttempt === undefined) {
    timer?.begin();
    return handler?.(context);
  }
  const { hook, operationId } = operation;
  return carryAttempt(
    { runId: desk.input.runId, hook, operationId, attempt: attempt.number },
    async () => {
      context.signal.throwIfAborted();
      timer?.begin();
      if (handler === undefined)
        throw new TypeError(`Operation ${JSON.stringify(operationId)} has no handler.`);
      return handler(context);
    },
  );
}

function settle(attempt: Attempt, outcome: CheckedOutcome): void {
  attempt.timer?.stop();
  if (attempt.record.attempt === attempt) afterAttempt(attempt, outcome);
  else reportLate(attempt, outcome);
}

function checked(outcome: OperationOutcome, attempt: Attempt): CheckedOutcome {
  try {
    const result = checkOutcome(outcome, attempt.operation);
    return result.debug === undefined
      ? result
      : { ...result, debug: boundDebug(attempt, result.debug) };
  } catch (error) {
    return outcomeOfThrown(error);
  }
}

/** A signal of its own for the attempt; at its time the attempt has failed, whether it heeds the signal or not. */
function createTimer(attempt: Attempt, timeoutMs: number): AttemptTimer {
  const { desk, record } = attempt;
  const controller = new AbortController();
  let isStopped = false;
  let cancel: () => void = () => {};
  const stop = (): void => {
    isStopped = true;
    cancel();
  };
  const onTime = (): void => {
    stop();
    controller.abort(new DOMException("The attempt has timed out.", "TimeoutError"));
    if (record.attempt !== attempt) return;
    record.attempt = undefined;
    afterAttempt(
      attempt,
      failedOutcome("timeout", `The attempt took longer than ${timeoutMs} ms.`),
    );
  };
  const begin = (): void => {
    if (!isStopped) cancel = desk.services.clock.schedule(timeoutMs, onTime);
  };
  return { signal: controller.signal, begin, stop, abort: (reason) => controller.abort(reason) };
}

function afterAttempt(attempt: Attempt, outcome: CheckedOutcome): void {
  const { desk, operation, record } = attempt;
  const delayMs = !desk.isStopping ? retryDelay(outcome, attempt) : undefined;
  if (delayMs === undefined) {
    endWork(attempt, outcome);
    return;
  }
  desk.writer.step({ ...stepOf(operation, record, outcome), willRetry: true });
  const cancel = desk.services.clock.schedule(delayMs, () => {
    record.cancelWait = undefined;
    tryOnce({ ...attempt, timer: undefined });
  });
  record.cancelWait = () => {
    cancel();
    record.cancelWait = undefined;
    endWork(attempt, outcome);
  };
}

/** Records how the operation ended, and lets the run go on. */
function endWork(attempt: Attempt, outcome: CheckedOutcome): void {
  const { desk, operation, record } = attempt;
  const isLate = desk.isStopping && outcome.status !== "aborted";
  if (isLate) record.lateStatus = outcome.status;
  const ended: CheckedOutcome = isLate ? { status: "aborted", effects: noEffects } : outcome;
  record.finishedAt = desk.services.clock.now();
  record.effects = ended.effects;
  record.inputsSummary = outcome.debug?.inputsSummary;
  record.outputsSummary = outcome.debug?.outputsSummary;
  record.isExempt = ended === conditionFalse;
  record.status = ended.status;
  record.skippedReason = ended.skippedReason;
  record.error = ended.error;
  announceEnd(attempt, true);
  desk.nowMs = record.finishedAt;
  desk.dispatch(
    ended.status === "done" ? operation.index : endOf(operation, ended, record.isExempt),
  );
  desk.nowMs = undefined;
}

function endOf(
  { index }: PlannedOperation,
  { status, skippedReason, error }: CheckedOutcome,
  isExempt: boolean,
): RunTransition {
  return {
    type: "operation_finished",
    index,
    status,
    isExempt: isExempt || undefined,
    skippedReason,
    errorCode: error !== undefined ? error.code : undefined,
    errorMessage: error !== undefined ? error.message : undefined,
  };
}

/** Fills the record of an operation that has ended without having been run, and announces it. */
export function recordEnd(desk: RunDesk, end: OperationEnd): void {
  const operation = desk.plan.operations[end.index];
  const record = desk.records[end.index];
  if (operation === undefined || record === undefined || record.status !== undefined) return;
  record.status = end.status;
  if (end.skippedReason !== undefined) record.skippedReason = end.skippedReason;
  if (end.errorCode !== undefined)
    record.error = { code: end.errorCode, message: end.errorMessage ?? "" };
  if (end.detached === true) record.detached = true;
  record.finishedAt ??= desk.services.clock.now();
  announceEnd({ desk, operation, record }, false);
}

function announceEnd(
  { desk, operation, record }: Pick<Attempt, "desk" | "operation" | "record">,
  isStep: boolean,
): void {
  releaseRecord(record, desk.services.limiter);
  record.attempt = undefined;
  if (record.hasNews || record.effects.length > 0) tellNews(desk, operation.index);
  desk.emitEnd(operation, isStep);
}

function boundDebug({ desk, operation }: Attempt, debug: OperationDebug | null): OperationDebug {
  const { maxSummaryChars, maxDebugChars } = desk.services.limits;
  const limits =
    operation.config.debug?.enabled === true
      ? { maxChars: maxSummaryChars + 2 * maxDebugChars, maxTextChars: maxDebugChars }
      : { maxChars: maxSummaryChars, maxTextChars: 1_024 };
  const inputsSummary = boundSummary(debug?.inputsSummary, limits);
  const outputsSummary = boundSummary(debug?.outputsSummary, limits);
  return { inputsSummary, outputsSummary };
}

function reportLate({ desk, operation, number }: Attempt, { status }: CheckedOutcome): void {
  const { operationId, hook } = operation;
  const { runId } = desk.input;
  tellGuest(desk.services.onLateResult, { runId, operationId, hook, attempt: number, status });
}
