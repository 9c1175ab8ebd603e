import type { DbosWorkflow, DbosWorkflows } from "./dbos-sdk.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";

/** A DBOS workflow, which stays registered for the life of the process, and the function that executes it. */
interface RegisteredWorkflow {
  readonly workflow: DbosWorkflow;
  /** Absent while no executor uses the name. */
  execute: DbosWorkflow | undefined;
}

const registered = new WeakMap<DbosWorkflows, Map<string, RegisteredWorkflow>>();

/** Registers an executor's workflow. @throws OperationsDbosError `name_taken`, `already_launched` */
export function registerWorkflow(
  dbos: DbosWorkflows,
  name: string,
  execute: DbosWorkflow,
): DbosWorkflow {
  const byName = registered.get(dbos) ?? new Map<string, RegisteredWorkflow>();
  registered.set(dbos, byName);
  const known = byName.get(name);
  if (known?.execute !== undefined) {
    throw new OperationsDbosError(
      "name_taken",
      `This process has an executor ${JSON.stringify(name)} already; give this one its own name.`,
    );
  }
  if (known !== undefined) {
    known.execute = execute;
    return known.workflow;
  }
  if (dbos.isInitialized()) {
    throw new OperationsDbosError(
      "already_launched",
      "DBOS is launched already, and recovers only what was registered before; create the executor first.",
    );
  }
  const workflow = dbos.registerWorkflow(
    async (runId) => {
      const now = byName.get(name)?.execute;
      if (now !== undefined) return now(runId);
      throw new OperationsDbosError("closed", `The executor ${JSON.stringify(name)} is closed.`);
    },
    { name },
  );
  byName.set(name, { workflow, execute });
  return workflow;
}

/** Releases the name for another executor in this process. */
export function freeExecutorName(dbos: DbosWorkflows, name: string): void {
  const known = registered.get(dbos)?.get(name);
  if (known !== undefined) known.execute = undefined;
}
