import { type ChatMessage, estimatedCounter } from "@ccl/core";
import { traced } from "@ccl/core/tracing";
import { callListener } from "@ccl/core/events";
import { isRecord, stringAt } from "@ccl/core/json";

import { conditionsHold } from "../kinds/guard-condition.ts";
import type { OperationConfig } from "../operation/operation-config.ts";
import type { OperationDebug, OperationOutcome } from "../operation/operation-context.ts";
import { tokensOf } from "../operation/tokens-of.ts";
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
import { nextAttemptDelay, timeoutOf } from "./retry-policy.ts";
import { markDependentsStale, releaseRecord } from "./run-context.ts";
import type { Attempt, AttemptTimer, RunContext } from "./run-context.ts";
import { endEventOf, stepOf } from "./operation-step.ts";
import { operationAt, reduceRun } from "./reduce-run.ts";
import type { OperationEnd } from "./run-state.ts";
import type { OperationFailure } from "../operation/operation-failure.ts";

/** Starts an operation as soon as it gets a slot, and dispatches how it ended. */
export function startOperation(run: RunContext, index: number): void {
  const operation = run.plan.operations[index];
  const record = run.records[index];
  const place = run.places[index];
  if (operation === undefined || record === undefined || place === undefined) return;
  const attempt: Attempt = { run, operation, record, number: record.attempts, timer: undefined };
  const { when, every } = operation.config;
  if (every !== undefined && !isDue(run, every)) {
    endWork(attempt, notDue);
    return;
  }
  if (when !== undefined && !isWanted(run, index, when)) {
    endWork(attempt, conditionFalse);
    return;
  }
  const { limiter } = run.services;
  if (limiter.enter(place)) begin(attempt, place);
  else record.cancelWait = limiter.wait(place, () => begin(attempt, place));
}

const noEffects: CheckedOutcome["effects"] = Object.freeze([]);
const conditionFalse: CheckedOutcome = {
  status: "skipped",
  effects: noEffects,
  skippedReason: "condition_false",
};

const notDue: CheckedOutcome = { ...conditionFalse, skippedReason: "not_due" };

/** The same for each answer to the turn, and after a crash: only its position and the history's length count. */
function isDue(
  { history, turnPosition }: RunContext,
  every: NonNullable<OperationConfig["every"]>,
): boolean {
  if ("turns" in every) return turnPosition % every.turns === 0;
  const windows = (messages: readonly ChatMessage[]): number =>
    Math.floor(tokensOf(estimatedCounter, messages) / every.tokens);
  const lastUser = (messages: readonly ChatMessage[]): number =>
    messages.findLastIndex(({ role }) => role === "user");
  const formerTurn = lastUser(history.slice(0, Math.max(0, lastUser(history))));
  return windows(history) > windows(history.slice(0, formerTurn + 1));
}

function isWanted(
  run: RunContext,
  index: number,
  conditions: NonNullable<OperationConfig["when"]>,
): boolean {
  return conditionsHold(conditions, createOperationView(run, index).artifacts());
}

function begin(attempt: Attempt, place: ConcurrencyClass): void {
  const { run, operation, record } = attempt;
  record.cancelWait = undefined;
  const { index, operationId, hook, definition } = operation;
  // The run may have been stopped while the operation waited for a slot.
  if (run.isStopping || operationAt(run.state, index).progress !== "ready") {
    run.services.limiter.release(place);
    return;
  }
  // Applied directly, since a stop must know immediately what is running. The transition returns no commands.
  reduceRun(run.state, { type: "operation_started", index });
  record.place = place;
  record.startedAt = run.services.clock.now();
  const attemptNumber = record.attempts + 1;
  const started = { operationId, operationName: definition.name, hook, attempt: attemptNumber };
  run.emit({ type: "operation.started", ...started }, record.startedAt);
  tryOnce(attempt);
}

function tryOnce(attempt: Attempt): void {
  const { operation, record } = attempt;
  record.attempts += 1;
  record.attempt = attempt;
  attempt.number = record.attempts;
  const timeoutMs = timeoutOf(operation);
  if (timeoutMs !== undefined) attempt.timer = startTimer(attempt, timeoutMs);
  const onDone = (outcome: OperationOutcome): void => settle(attempt, checked(outcome, attempt));
  const onThrown = (error: unknown): void => settle(attempt, outcomeOfThrown(error));
  try {
    const promise = callHandler(attempt);
    if (promise instanceof Promise) promise.then(onDone, onThrown);
    else Promise.resolve(promise).then((outcome) => onDone(outcome as OperationOutcome), onThrown);
  } catch (error) {
    // Delayed until the caller has finished the present transition.
    queueMicrotask(() => onThrown(error));
  }
}

/** Writes an attempt that the handler itself retries to the journal. */
function repeated(attempt: Attempt, { code, message }: OperationFailure): void {
  const { run, operation, record } = attempt;
  if (record.attempt !== attempt) return;
  const failed = failedOutcome(code, message);
  run.writer.step({ ...stepOf(operation, record, failed), willRetry: true });
  record.attempts += 1;
}

function callHandler(attempt: Attempt): unknown {
  const { run, operation, number } = attempt;
  const { operationId, hook, definition } = operation;
  // The span that started the operation may have ended, but the operation is part of the run.
  return run.span.within(() =>
    traced(
      `operation ${definition.name}`,
      {
        "ccl.operation.id": operationId,
        "ccl.operation.hook": hook,
        "ccl.operation.attempt": number,
      },
      (span) => {
        const context = createContext(attempt, (error) => repeated(attempt, error));
        const outcome: unknown = run.handlers[operation.index]?.(context);
        // A handler may return anything. Its outcome is validated later.
        if (outcome instanceof Promise)
          outcome
            .then((ended: unknown) =>
              span.set({
                "ccl.operation.status": stringAt(ended, "status"),
                "error.type": isRecord(ended) ? stringAt(ended["error"], "code") : undefined,
              }),
            )
            .catch(() => undefined);
        return outcome;
      },
    ),
  );
}

function settle(attempt: Attempt, outcome: CheckedOutcome): void {
  attempt.timer?.stop();
  if (attempt.record.attempt === attempt) afterAttempt(attempt, outcome);
  else reportLate(attempt, outcome);
}

function checked(outcome: OperationOutcome, attempt: Attempt): CheckedOutcome {
  try {
    const result = checkOutcome(
      outcome,
      attempt.operation,
      attempt.run.services.limits.maxEffectChars,
    );
    return result.debug === undefined
      ? result
      : { ...result, debug: boundDebug(attempt, result.debug) };
  } catch (error) {
    return outcomeOfThrown(error);
  }
}

/** Starts the attempt's own signal. When the time is up, the attempt fails even if the handler ignores the signal. */
function startTimer(attempt: Attempt, timeoutMs: number): AttemptTimer {
  const controller = new AbortController();
  const stop = attempt.run.services.clock.schedule(timeoutMs, () => {
    controller.abort(new DOMException("The attempt has timed out.", "TimeoutError"));
    if (attempt.record.attempt !== attempt) return;
    attempt.record.attempt = undefined;
    const message = `The attempt took longer than ${timeoutMs} ms.`;
    afterAttempt(attempt, failedOutcome("timeout", message));
  });
  return { signal: controller.signal, stop, abort: (reason) => controller.abort(reason) };
}

function afterAttempt(attempt: Attempt, outcome: CheckedOutcome): void {
  const { run, operation, record } = attempt;
  const delayMs = !run.isStopping ? nextAttemptDelay(outcome, attempt) : undefined;
  if (delayMs === undefined) {
    endWork(attempt, outcome);
    return;
  }
  run.writer.step({ ...stepOf(operation, record, outcome), willRetry: true });
  const cancel = run.services.clock.schedule(delayMs, () => {
    record.cancelWait = undefined;
    tryOnce({ ...attempt, timer: undefined });
  });
  record.cancelWait = () => {
    cancel();
    record.cancelWait = undefined;
    endWork(attempt, outcome);
  };
}

/** Records how the operation ended, and continues the run. */
function endWork(attempt: Attempt, outcome: CheckedOutcome): void {
  const { run, operation, record } = attempt;
  const isLate = run.isStopping && outcome.status !== "aborted";
  if (isLate) record.lateStatus = outcome.status;
  const ended: CheckedOutcome = isLate ? { status: "aborted", effects: noEffects } : outcome;
  record.finishedAt = run.services.clock.now();
  record.effects = ended.effects;
  record.inputsSummary = outcome.debug?.inputsSummary;
  record.outputsSummary = outcome.debug?.outputsSummary;
  record.isExempt = ended === conditionFalse || ended === notDue;
  record.status = ended.status;
  record.skippedReason = ended.skippedReason;
  record.error = ended.error;
  announceEnd(attempt);
  run.writer.step(stepOf(operation, record, record));
  const { status, isExempt } = record;
  run.dispatch({ type: "operation_finished", index: operation.index, status, isExempt });
}

/** Completes the record of an operation that ended without a start, and announces it. */
export function recordEnd(run: RunContext, end: OperationEnd): void {
  const operation = run.plan.operations[end.index];
  const record = run.records[end.index];
  if (operation === undefined || record === undefined || record.status !== undefined) return;
  record.status = end.status;
  record.skippedReason = end.skippedReason ?? record.skippedReason;
  record.error = end.error ?? record.error;
  record.detached ||= end.detached === true;
  record.finishedAt ??= run.services.clock.now();
  announceEnd({ run, operation, record });
}

function announceEnd({
  run,
  operation,
  record,
}: Pick<Attempt, "run" | "operation" | "record">): void {
  releaseRecord(record, run.services.limiter);
  record.attempt = undefined;
  if (record.isStale || record.effects.length > 0) markDependentsStale(run, operation.index);
  run.emit(endEventOf(operation, record), record.finishedAt);
}

/** Limit of one text in a summary under `debug`. */
const maxDebugChars = 16_384;

function boundDebug({ run, operation }: Attempt, debug: OperationDebug | null): OperationDebug {
  const { maxSummaryChars } = run.services.limits;
  const limits =
    operation.config.debug?.enabled === true
      ? { maxChars: maxSummaryChars + 2 * maxDebugChars, maxTextChars: maxDebugChars }
      : { maxChars: maxSummaryChars, maxTextChars: 1_024 };
  const inputsSummary = boundSummary(debug?.inputsSummary, limits);
  const outputsSummary = boundSummary(debug?.outputsSummary, limits);
  return { inputsSummary, outputsSummary };
}

function reportLate({ run, operation, number }: Attempt, { status }: CheckedOutcome): void {
  const { operationId, hook } = operation;
  const { runId } = run.input;
  const { onLateResult, onListenerError } = run.services;
  callListener(
    onLateResult,
    { runId, operationId, hook, attempt: number, status },
    onListenerError,
  );
}
