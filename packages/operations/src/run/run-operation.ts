import { type ChatMessage, estimatedCounter } from "@ccl/core";
import { traced } from "@ccl/core/tracing";
import { isRecord, stringAt } from "@ccl/core/json";

import { conditionsHold } from "../kinds/guard-kind.ts";
import type {
  OperationConfig,
  OperationDebug,
  OperationFailure,
  OperationOutcome,
} from "../operation/operation-definition.ts";
import { tokensOf } from "../operation/tokens-of.ts";
import type { OperationStep } from "../ports/run-store.ts";
import { endRecord, takeStep } from "./apply-step.ts";
import { boundSummary, maxSummaryChars } from "./bound-summary.ts";
import {
  checkOutcome,
  failedOutcome,
  outcomeOfThrown,
  type CheckedOutcome,
} from "./check-outcome.ts";
import { createContext } from "./create-context.ts";
import { noEffects, type OperationRecord } from "./operation-record.ts";
import type { RunContext } from "./run-context.ts";
import { type OperationEnd, operationAt, reduceRun } from "./reduce-run.ts";

/** Starts an operation once it gets a slot, and dispatches how it ended. */
export function startOperation(run: RunContext, record: OperationRecord): void {
  const { when, every } = record.operation.config;
  if (every !== undefined && !isDue(run, every)) {
    endWork(run, record, notDue);
    return;
  }
  if (when && !conditionsHold(when, createContext(run, record).artifacts)) {
    endWork(run, record, conditionFalse);
    return;
  }
  const { limiter } = run.services;
  if (limiter.enter()) begin(run, record);
  else record.cancelWait = limiter.wait(() => begin(run, record));
}

const conditionFalse: CheckedOutcome = {
  status: "skipped",
  effects: noEffects,
  skippedReason: "condition_false",
};

const notDue: CheckedOutcome = { ...conditionFalse, skippedReason: "not_due" };

/**
 * Depends only on the turn's position and the history's length, so it is the same for each answer and after a crash.
 */
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

function begin(run: RunContext, record: OperationRecord): void {
  record.cancelWait = undefined;
  const { index, operationId, hook, definition } = record.operation;
  // The run may have stopped while the operation waited for a slot.
  if (run.isStopping || operationAt(run.state, index).progress !== "ready") {
    run.services.limiter.release();
    return;
  }
  // Applied directly, since a stop must know immediately what is running. This transition returns no commands.
  reduceRun(run.state, { type: "operation_started", index });
  record.hasSlot = true;
  record.startedAt = run.services.clock.now();
  record.attempts += 1;
  const started = { operationId, operationName: definition.name, hook, attempt: record.attempts };
  run.emit({ type: "operation.started", ...started }, record.startedAt);
  const end = (outcome: CheckedOutcome): void => {
    // An abandoned operation's result is too late.
    if (record.end === undefined) endWork(run, record, outcome);
  };
  const onDone = (outcome: OperationOutcome): void => end(checked(run, record, outcome));
  const onThrown = (error: unknown): void => end(outcomeOfThrown(error));
  try {
    const promise = callHandler(run, record);
    if (promise instanceof Promise) promise.then(onDone, onThrown);
    else Promise.resolve(promise).then((outcome) => onDone(outcome as OperationOutcome), onThrown);
  } catch (error) {
    // Delayed until the caller has finished the current transition.
    queueMicrotask(() => onThrown(error));
  }
}

/** Journals an attempt that the handler retries itself. */
function repeated(
  run: RunContext,
  record: OperationRecord,
  { code, message }: OperationFailure,
): void {
  if (record.end !== undefined) return;
  run.writer.step({ ...stepOf(record, failedOutcome(code, message)), willRetry: true });
  record.attempts += 1;
}

function callHandler(run: RunContext, record: OperationRecord): unknown {
  const { operationId, hook, definition } = record.operation;
  // The span that started the operation may have ended, but the operation belongs to the run.
  return run.span.within(() =>
    traced(
      `operation ${definition.name}`,
      {
        "ccl.operation.id": operationId,
        "ccl.operation.hook": hook,
        "ccl.operation.attempt": record.attempts,
      },
      (span) => {
        const context = createContext(run, record, (error) => repeated(run, record, error));
        const outcome: unknown = record.handler?.(context);
        // Handlers may return anything. The outcome is validated later.
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

function checked(
  run: RunContext,
  record: OperationRecord,
  outcome: OperationOutcome,
): CheckedOutcome {
  try {
    const result = checkOutcome(outcome, record.operation, run.services.limits.maxEffectChars);
    return result.debug === undefined
      ? result
      : { ...result, debug: boundDebug(record, result.debug) };
  } catch (error) {
    return outcomeOfThrown(error);
  }
}

/** Creates the journal entry for the end of an attempt. */
function stepOf(
  { operation, attempts, startedAt }: OperationRecord,
  { status, skippedReason, error, effects }: CheckedOutcome,
  finishedAt: number = startedAt ?? 0,
): OperationStep {
  const { hook, operationId } = operation;
  return {
    kind: "operation",
    hook,
    operationId,
    attempt: Math.max(1, attempts),
    status,
    finishedAt,
    startedAt,
    skippedReason,
    error,
    effects: effects.length > 0 ? effects : undefined,
  };
}

/** Records how the operation ended, and continues the run. */
function endWork(run: RunContext, record: OperationRecord, outcome: CheckedOutcome): void {
  const isLate = run.isStopping && outcome.status !== "aborted";
  const ended: CheckedOutcome = isLate ? { status: "aborted", effects: noEffects } : outcome;
  const isExempt = ended === conditionFalse || ended === notDue;
  const step: OperationStep = {
    isExempt: isExempt || undefined,
    lateStatus: isLate ? outcome.status : undefined,
    inputsSummary: outcome.debug?.inputsSummary,
    outputsSummary: outcome.debug?.outputsSummary,
    ...stepOf(record, ended, run.services.clock.now()),
  };
  const transition = takeStep(run, step);
  if (transition !== undefined) run.dispatch(transition);
}

/** Records how an operation ended without starting, or that it was abandoned. */
export function recordEnd(run: RunContext, record: OperationRecord, end: OperationEnd): void {
  record.cancelWait?.();
  if (record.end !== undefined) return;
  const step = stepOf(record, { ...end, effects: noEffects }, run.services.clock.now());
  endRecord(run, record, { ...step, detached: end.detached });
}

/** Maximum length of a string in a summary under `debug`. */
const maxDebugChars = 16_384;

function boundDebug(record: OperationRecord, debug: OperationDebug | null): OperationDebug {
  const limits =
    record.operation.config.debug?.enabled === true
      ? { maxChars: maxSummaryChars + 2 * maxDebugChars, maxTextChars: maxDebugChars }
      : { maxChars: maxSummaryChars, maxTextChars: 1_024 };
  const inputsSummary = boundSummary(debug?.inputsSummary, limits);
  const outputsSummary = boundSummary(debug?.outputsSummary, limits);
  return { inputsSummary, outputsSummary };
}
