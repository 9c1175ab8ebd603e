import type { RunEventBody } from "../events/run-event.ts";
import type { OperationStep } from "../ports/run-step.ts";
import type { PlannedOperation } from "./plan-run.ts";
import type { OperationRecord } from "./run-context.ts";

type StepOutcome = Pick<OperationStep, "skippedReason" | "error"> &
  Pick<OperationRecord, "status" | "effects">;

/** The journal entry for the end of an attempt. The record contains the outcome of the last attempt. */
export function stepOf(
  { hook, operationId }: PlannedOperation,
  record: OperationRecord,
  { status = "aborted", skippedReason, error, effects }: StepOutcome,
): OperationStep {
  const { attempts, startedAt, finishedAt, lateStatus, inputsSummary, outputsSummary } = record;
  return {
    kind: "operation",
    hook,
    operationId,
    attempt: Math.max(1, attempts),
    status,
    finishedAt: finishedAt ?? startedAt ?? 0,
    startedAt,
    isExempt: record.isExempt || undefined,
    skippedReason,
    error,
    effects: effects.length > 0 ? effects : undefined,
    lateStatus,
    inputsSummary,
    outputsSummary,
  };
}

/** The event for the end of an operation. */
export function endEventOf(
  { hook, operationId, definition }: PlannedOperation,
  record: OperationRecord,
): Extract<RunEventBody, { type: "operation.finished" }> {
  const { status = "aborted", skippedReason, error, startedAt, finishedAt = 0 } = record;
  return {
    type: "operation.finished",
    operationId,
    operationName: definition.name,
    hook,
    status,
    finishedAt,
    startedAt,
    attempts: startedAt === undefined ? undefined : record.attempts,
    skippedReason,
    error,
    detached: record.detached || undefined,
  };
}
