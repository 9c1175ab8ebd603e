import { conditionsHold } from "../kinds/condition-holds.ts";
import type { OperationConfig } from "../operation/operation-config.ts";
import type { OperationContext } from "../operation/operation-context.ts";
import type { OperationDebug, OperationOutcome } from "../operation/operation-outcome.ts";
import { boundSummary } from "./bound-summary.ts";
import { checkOutcome, failedOutcome, outcomeOfThrown, type CheckedOutcome } from "./check-outcome.ts";
import type { ConcurrencyClass } from "./concurrency-limiter.ts";
import { createContext } from "./create-context.ts";
import { createOperationView } from "./operation-view.ts";
import type { PlannedOperation } from "./plan-run.ts";
import { itemAt } from "./persistent-array.ts";
import { retryDelay, timeoutOf } from "./retry-policy.ts";
import { releaseRecord, tellNews, type OperationRecord, type RunDesk } from "./run-desk.ts";
import { stepOf } from "./run-notes.ts";
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
  const work = { desk, operation, record };
  const { when } = operation.config;
  if (when !== undefined && !isWanted(desk, index, when)) {
    endWork(work, conditionFalse);
    return;
  }
  const place = desk.places[index];
  if (place === undefined) return;
  const { limiter } = desk.services;
  if (limiter.enter(place)) begin(work, place);
  else wait(work, place);
}

function wait(work: Work, place: ConcurrencyClass): void {
  const { desk, record } = work;
  record.cancelWait = desk.services.limiter.wait(place, () => begin(work, place));
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
  record.firstAttempt = record.attempts;
  // At once, not after what else is to happen: it asks for nothing, and a stop has to know what runs.
  desk.machine.reduce({ type: "operation_started", index: operation.index });
  desk.emitStart(operation);
  attempt(work);
}

function attempt(work: Work): void {
  const { desk, operation, record } = work;
  const handler = desk.handlers[operation.index];
  const timeoutMs = timeoutOf(operation);
  const timed = timeoutMs === undefined ? undefined : createTimer(work, timeoutMs);
  if (timed !== undefined) record.stopTimer = timed.stop;
  const signal = timed?.signal ?? desk.controller.signal;
  const under: Attempt = { work, number: record.attempts, timed };
  const onDone = (outcome: OperationOutcome): void => settle(under, checked(outcome, operation));
  const onThrown = (error: unknown): void => settle(under, outcomeOfThrown(error));
  try {
    const context = createContext(desk, operation, { attempt: under.number, signal });
    if (desk.services.carryAttempt === undefined) timed?.begin();
    const promise: unknown =
      desk.services.carryAttempt === undefined ? handler?.(context) : carried(work, context, timed);
    if (promise instanceof Promise) promise.then(onDone, onThrown);
    else Promise.resolve(promise).then((outcome) => onDone(outcome as OperationOutcome), onThrown);
  } catch (error) {
    // Not before the caller is done with the present transition.
    queueMicrotask(() => onThrown(error));
  }
}

interface Attempt {
  work: Work;
  number: number;
  timed: Timed | undefined;
}

function settle({ work, number, timed }: Attempt, outcome: CheckedOutcome): void {
  const { record } = work;
  timed?.stop();
  const isCurrent = record.status === undefined && record.attempts === number && timed?.isOver() !== true;
  if (isCurrent) afterAttempt(work, outcome);
  else reportLate(work, number, outcome);
}

/** Lets the executor call the handler; the time of the attempt is that of the call. */
async function carried(
  { desk, operation }: Work,
  context: OperationContext,
  timed: Timed | undefined,
): Promise<OperationOutcome | undefined> {
  const { index, hook, operationId } = operation;
  const at = { runId: desk.input.runId, hook, operationId, attempt: context.attempt };
  return desk.services.carryAttempt?.(at, async () => {
    context.signal.throwIfAborted();
    timed?.begin();
    const handler = desk.handlers[index];
    if (handler === undefined) throw new TypeError(`Operation ${JSON.stringify(operationId)} has no handler.`);
    return handler(context);
  });
}

function checked(outcome: OperationOutcome, operation: PlannedOperation): CheckedOutcome {
  try {
    return checkOutcome(outcome, operation);
  } catch (error) {
    return outcomeOfThrown(error);
  }
}

interface Timed {
  signal: AbortSignal;
  /** From now on its time runs, unless it was stopped. */
  begin(): void;
  isOver(): boolean;
  stop(): void;
}

/** A signal of its own for the attempt; at its time the attempt has failed, whether it heeds the signal or not. */
function createTimer(work: Work, timeoutMs: number): Timed {
  const { desk } = work;
  const run = desk.controller.signal;
  const controller = new AbortController();
  let [isOver, isStopped] = [false, false];
  let cancel: () => void = () => {};
  const onAbort = (): void => controller.abort(run.reason);
  run.addEventListener("abort", onAbort, { once: true });
  const stop = (): void => {
    isStopped = true;
    cancel();
    run.removeEventListener("abort", onAbort);
  };
  const onTime = (): void => {
    stop();
    isOver = true;
    controller.abort(new DOMException("The attempt has timed out.", "TimeoutError"));
    if (work.record.status === undefined) {
      afterAttempt(work, failedOutcome("timeout", `The attempt took longer than ${timeoutMs} ms.`));
    }
  };
  const begin = (): void => {
    if (!isStopped) cancel = desk.services.clock.schedule(timeoutMs, onTime);
  };
  return { signal: controller.signal, begin, isOver: () => isOver, stop };
}

function afterAttempt(work: Work, outcome: CheckedOutcome): void {
  const { desk, operation, record } = work;
  const delayMs = !desk.isStopping ? retryDelay(outcome, work) : undefined;
  if (delayMs === undefined) {
    endWork(work, outcome);
    return;
  }
  desk.writer.step({ ...stepOf(operation, record, outcome), willRetry: true });
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
  record.isExempt = ended === conditionFalse;
  desk.writer.step(operation.index);
  const end: Extract<RunTransition, { type: "operation_finished" }> = {
    type: "operation_finished",
    index: operation.index,
    status: ended.status,
  };
  if (record.isExempt) end.isExempt = true;
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
  desk.emitEnd(operation);
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
