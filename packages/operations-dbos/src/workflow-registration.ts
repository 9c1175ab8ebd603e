import type { DbosWorkflow, DbosWorkflows } from "./dbos-sdk.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";

/** The functions that currently execute the workflows of an executor. */
interface WorkflowBodies {
  run: DbosWorkflow;
  operation: DbosWorkflow;
  /** Called when the name is released. */
  close(): void;
}

/** The workflows of one name in this process. DBOS keeps them registered as long as the process lives. */
export interface WorkflowRegistration {
  readonly run: DbosWorkflow;
  readonly operation: DbosWorkflow;
  bodies: WorkflowBodies | undefined;
}

const registrations = new WeakMap<DbosWorkflows, Map<string, WorkflowRegistration>>();

/** Name of the workflow of an operation whose runs are executed under `name`. */
export function operationWorkflowName(name: string): string {
  return `${name}.operation`;
}

/** Registers the workflows of an executor. @throws OperationsDbosError `name_taken`, `already_launched` */
export function registerWorkflows(dbos: DbosWorkflows, name: string): WorkflowRegistration {
  const byName = registrations.get(dbos) ?? new Map<string, WorkflowRegistration>();
  registrations.set(dbos, byName);
  const known = byName.get(name);
  if (known?.bodies !== undefined) {
    throw new OperationsDbosError(
      "name_taken",
      `This process has an executor ${JSON.stringify(name)} already; give this one a name of its own.`,
    );
  }
  if (known !== undefined) return known;
  if (dbos.isInitialized()) {
    throw new OperationsDbosError(
      "already_launched",
      "DBOS is launched already, and recovers only what was registered before; create the executor first.",
    );
  }
  const bodies = (): WorkflowBodies => {
    if (registration.bodies !== undefined) return registration.bodies;
    throw new OperationsDbosError("closed", `The executor ${JSON.stringify(name)} is closed.`);
  };
  const registration: WorkflowRegistration = {
    run: dbos.registerWorkflow(async (...ids) => bodies().run(...ids), { name }),
    operation: dbos.registerWorkflow(async (...ids) => bodies().operation(...ids), {
      name: operationWorkflowName(name),
    }),
    bodies: undefined,
  };
  byName.set(name, registration);
  return registration;
}

/** Releases the name for another executor of this process. */
export function freeExecutorName(dbos: DbosWorkflows, name: string): void {
  const registration = registrations.get(dbos)?.get(name);
  registration?.bodies?.close();
  if (registration !== undefined) registration.bodies = undefined;
}
