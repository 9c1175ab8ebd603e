import type { OperationStep, RunStep } from "../ports/run-step.ts";
import { mainRun } from "./build-result.ts";
import { adoptCommit, commitFailure } from "./commit-hook.ts";
import type { KnownEvents } from "./event-emitter.ts";
import { operationAt, reduceRun } from "./reduce-run.ts";
import { markDependentsStale, type OperationRecord, type RunContext } from "./run-context.ts";
import type { RunCommand, RunTransition } from "./run-state.ts";

/**
 * Restores the state of a run from its steps, without executing anything. Returns the commands that are still to be
 * executed, including announcements.
 */
export function replaySteps(
  run: RunContext,
  steps: readonly RunStep[],
  known: KnownEvents,
): RunCommand[] {
  const indexes = new Map(
    run.plan.operations.map(({ index, hook, operationId }) => [`${hook}/${operationId}`, index]),
  );
  for (const [key, { attempt, startedAt }] of known.attempts) {
    const record = run.records[indexes.get(key) ?? -1];
    if (record === undefined) continue;
    record.attempts = attempt;
    record.startedAt = startedAt;
  }
  const commands: RunCommand[] = [];
  const reduce = (transition: RunTransition): void => {
    commands.push(...reduceRun(run.state, transition));
  };
  reduce({ type: "begin" });
  for (const step of steps) {
    // A hook with nothing to commit has stored no step.
    if (step.kind === "main_llm") reduce({ type: "commit_finished", hook: "before_main_llm" });
    const transition = adopt(run, step, indexes);
    if (transition !== undefined) reduce(transition);
  }
  return commands.filter((command) => isOpen(run, command));
}

function adopt(
  run: RunContext,
  step: RunStep,
  indexes: ReadonlyMap<string, number>,
): RunTransition | undefined {
  switch (step.kind) {
    case "operation": {
      const index = indexes.get(`${step.hook}/${step.operationId}`);
      const record = index === undefined ? undefined : run.records[index];
      if (index === undefined || record === undefined) return undefined;
      record.attempts = Math.max(record.attempts, step.attempt);
      if (step.willRetry === true) return undefined;
      fillRecord(record, step);
      if (record.isStale || record.effects.length > 0) markDependentsStale(run, index);
      const { status, isExempt } = step;
      return { type: "operation_finished", index, status, isExempt };
    }
    case "commit": {
      const { hook, entries } = step;
      adoptCommit(run, hook, entries);
      const failure = commitFailure(run, hook, entries);
      return { type: "commit_finished", hook, failure };
    }
    case "main_llm": {
      run.main = mainRun(run, step);
      const { status, error } = step;
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

function fillRecord(record: OperationRecord, step: OperationStep): void {
  const { status, skippedReason, error, startedAt, finishedAt, lateStatus } = step;
  const { inputsSummary, outputsSummary, effects = [] } = step;
  const outcome = { status, skippedReason, error, startedAt, finishedAt, lateStatus, effects };
  Object.assign(record, outcome, { inputsSummary, outputsSummary });
}

/** Announcements always count as open. Events that are already stored are not stored again. */
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
