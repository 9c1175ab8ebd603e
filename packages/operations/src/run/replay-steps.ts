import type { RunStep } from "../ports/run-step.ts";
import { mainRun } from "./build-result.ts";
import { adoptCommit, commitFailure } from "./commit-hook.ts";
import type { KnownEvents } from "./event-emitter.ts";
import { operationAt, reduceRun, type RunCommand, type RunTransition } from "./reduce-run.ts";
import { endRecord, type OperationRecord, type RunContext } from "./run-context.ts";

/**
 * Restores the state of a run from its steps, without executing anything. Returns the commands that are still to be
 * executed, including announcements.
 */
export function replaySteps(
  run: RunContext,
  steps: readonly RunStep[],
  known: KnownEvents,
): RunCommand[] {
  const records = new Map<string, OperationRecord>();
  for (const record of run.records) {
    const key = `${record.operation.hook}/${record.operation.operationId}`;
    records.set(key, record);
    Object.assign(record, known.attempts.get(key));
  }
  const commands: RunCommand[] = [];
  const reduce = (transition: RunTransition): void => {
    commands.push(...reduceRun(run.state, transition));
  };
  reduce({ type: "begin" });
  for (const step of steps) {
    // A hook with nothing to commit has stored no step.
    if (step.kind === "main_llm") reduce({ type: "commit_finished", hook: "before_main_llm" });
    const transition = adopt(run, step, records);
    if (transition !== undefined) reduce(transition);
  }
  return commands.filter((command) => isOpen(run, command));
}

function adopt(
  run: RunContext,
  step: RunStep,
  records: ReadonlyMap<string, OperationRecord>,
): RunTransition | undefined {
  switch (step.kind) {
    case "operation": {
      const record = records.get(`${step.hook}/${step.operationId}`);
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
