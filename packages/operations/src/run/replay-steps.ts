import type { RunStep } from "../ports/run-step.ts";
import { applyStep } from "./apply-step.ts";
import { operationAt, reduceRun, type RunCommand, type RunTransition } from "./reduce-run.ts";
import type { RunContext } from "./run-context.ts";

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
