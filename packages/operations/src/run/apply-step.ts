import type { OperationStep, RunStep } from "../ports/run-store.ts";
import { mainRun } from "./build-result.ts";
import { adoptCommit, commitFailure } from "./commit-hook.ts";
import { type RunCommand, type RunTransition, operationAt, reduceRun } from "./reduce-run.ts";
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

/**
 * Restores the state of a run from its steps, without executing anything. Returns the commands still to be executed,
 * including announcements.
 */
export function replaySteps(run: RunContext, steps: readonly RunStep[]): RunCommand[] {
  const commands: RunCommand[] = [];
  const reduce = (transition: RunTransition): void => {
    commands.push(...reduceRun(run.state, transition));
  };
  reduce({ type: "begin" });
  for (const step of steps) {
    // A hook with nothing to commit stores no step.
    if (step.kind === "main_llm") reduce({ type: "commit_finished", hook: "before_main_llm" });
    const transition = applyStep(run, step);
    if (transition !== undefined) reduce(transition);
  }
  return commands.filter((command) => isOpen(run, command));
}

/** Always true for announcements. Events that are already stored are not stored again. */
function isOpen(run: RunContext, command: RunCommand): boolean {
  const { state } = run;
  switch (command.type) {
    case "start_operation":
      return operationAt(state, command.index).progress === "ready";
    case "commit":
      return (
        state.stage === (command.hook === "before_main_llm" ? "commit_before" : "commit_after")
      );
    case "start_main":
      return state.isMainRunning;
    default:
      return true;
  }
}
