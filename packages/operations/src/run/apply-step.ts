import type { OperationStep, RunStep } from "../ports/run-step.ts";
import { mainRun } from "./build-result.ts";
import { adoptCommit, commitFailure } from "./commit-hook.ts";
import type { RunTransition } from "./reduce-run.ts";
import { type OperationRecord, releaseRecord } from "./operation-record.ts";
import { recordOf, type RunContext } from "./run-context.ts";

/** Stores a step and applies it. Returns the resulting transition. */
export function takeStep(run: RunContext, step: RunStep): RunTransition | undefined {
  run.writer.step(step);
  return applyStep(run, step);
}

/** Applies a new or stored step. Does not store events again that are already stored. */
export function applyStep(run: RunContext, step: RunStep): RunTransition | undefined {
  switch (step.kind) {
    case "operation": {
      const record = run.recordsByKey.get(`${step.hook}/${step.operationId}`);
      if (record === undefined) return undefined;
      record.attempts = Math.max(record.attempts, step.attempt);
      if (step.willRetry === true) return undefined;
      endRecord(run, record, step);
      const { status, isExempt } = step;
      return { type: "operation_finished", index: record.operation.index, status, isExempt };
    }
    case "commit": {
      const { hook, entries } = step;
      adoptCommit(run, hook, entries);
      return { type: "commit_finished", hook, failure: commitFailure(run, hook, entries) };
    }
    case "main_llm": {
      run.main = mainRun(run, step);
      const { status, finishReason, error } = step;
      const { assistantVariantId } = run.input;
      const shown = { status, finishReason, partial: step.partial || undefined, error };
      run.emit({ type: "main_llm.finished", assistantVariantId, ...shown });
      return { type: "main_finished", status, error };
    }
    case "turn_message":
      run.turnMessages[step.position] = step;
      return undefined;
    case "answer":
    case "take_over":
      return undefined;
    case "stop":
      run.isStopping = true;
      return { type: "stop", cause: step.cause };
  }
}

/**
 * Records and announces how an operation ended. If that changes what its dependents see, marks their views as stale.
 */
export function endRecord(run: RunContext, record: OperationRecord, end: OperationStep): void {
  releaseRecord(record, run.services.limiter);
  record.end = end;
  const { operationId, hook, definition, dependents } = record.operation;
  if (record.isStale || end.effects !== undefined)
    for (const dependent of dependents) recordOf(run, dependent).isStale = true;
  const { status, finishedAt, startedAt, attempt, skippedReason, error, detached } = end;
  run.emit(
    {
      type: "operation.finished",
      operationId,
      operationName: definition.name,
      hook,
      status,
      finishedAt,
      startedAt,
      attempts: startedAt === undefined ? undefined : attempt,
      skippedReason,
      error,
      detached,
    },
    finishedAt,
  );
}
