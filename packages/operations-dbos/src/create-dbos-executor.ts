import type { RunDriver, RunExecutor, RunStore } from "@ccl/operations";

import type { DbosWorkflows } from "./dbos-sdk.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";

/** What an executor is made of. */
export interface DbosExecutorOptions {
  /** The class `DBOS` of `@dbos-inc/dbos-sdk`, not launched yet. */
  dbos: DbosWorkflows;
  /** The engine's own store: a run has ended when it says so. */
  runs: Pick<RunStore, "loadRun">;
  /** Name of the workflow, the same in every process that is to carry the runs; default `ccl.operations.run`. */
  name?: string;
  /** How often a run that could not be carried to its end is tried before its workflow fails; default 10. */
  maxAttempts?: number;
}

/** An executor on DBOS. */
export interface DbosExecutor extends RunExecutor {
  /** Name of its workflow. */
  readonly name: string;
}

/** A workflow of this process; DBOS keeps it registered for as long as the process lives. */
interface Registration {
  workflow: (runId: string) => Promise<string>;
  /** Who carries its runs at present. */
  carry: ((runId: string) => Promise<string>) | undefined;
}

const registrations = new WeakMap<DbosWorkflows, Map<string, Registration>>();
const defaultName = "ccl.operations.run";

/**
 * Registers the workflow that carries runs, to be called before `DBOS.launch()`. Each run is one workflow with the run's
 * id and one step, so that a recovered workflow has no order of calls to repeat: what is done already is known from the
 * run's own journal, by hook, operation and attempt.
 * @throws OperationsDbosError `invalid_options`, `name_taken`, `already_launched`
 */
export function createDbosExecutor(options: DbosExecutorOptions): DbosExecutor {
  const { dbos, runs, name = defaultName, maxAttempts = 10 } = options;
  requireName(name);
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) {
    throw new OperationsDbosError("invalid_options", `maxAttempts is ${maxAttempts}; give a whole number from 1.`);
  }
  let resolveDriver: (drive: RunDriver) => void = () => {};
  let isAttached = false;
  const attached = new Promise<RunDriver>((resolve) => {
    resolveDriver = resolve;
  });
  const driveToEnd = async (runId: string): Promise<string> => {
    const drive = await attached;
    if ((await runs.loadRun(runId)) === undefined) return "unknown_run";
    const result = await drive(runId);
    const stored = await runs.loadRun(runId);
    if (stored?.result !== undefined) return stored.result.status;
    const why = result?.failedDetails?.errorMessage ?? "Its worker gave it up.";
    throw new OperationsDbosError("not_ended", `Run ${runId} has not ended. ${why}`, { details: { runId } });
  };
  const retry = { retriesAllowed: maxAttempts > 1, maxAttempts, intervalSeconds: 1, backoffRate: 2 };
  const registration = register(dbos, name);
  registration.carry = async (runId) => dbos.runStep(async () => driveToEnd(runId), { name: "drive", ...retry });
  return {
    name,
    isLocal: true,
    attach(drive) {
      if (isAttached) {
        throw new OperationsDbosError(
          "name_taken",
          `The executor ${JSON.stringify(name)} has an engine already; give each engine one of its own.`,
        );
      }
      isAttached = true;
      resolveDriver(drive);
    },
    async submit(runId) {
      // Of a workflow that is there already DBOS gives the handle and starts nothing.
      await dbos.startWorkflow(registration.workflow, { workflowID: runId })(runId);
    },
  };
}

/** Lets another executor of this process have the name. */
export function freeExecutorName(dbos: DbosWorkflows, name: string): void {
  const registration = registrations.get(dbos)?.get(name);
  if (registration !== undefined) registration.carry = undefined;
}

function register(dbos: DbosWorkflows, name: string): Registration {
  const byName = registrations.get(dbos) ?? new Map<string, Registration>();
  registrations.set(dbos, byName);
  const known = byName.get(name);
  if (known?.carry !== undefined) {
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
  const run = async (runId: string): Promise<string> => {
    const { carry } = registration;
    if (carry === undefined) throw new OperationsDbosError("closed", `The executor ${JSON.stringify(name)} is closed.`);
    return carry(runId);
  };
  const registration: Registration = { workflow: run, carry: undefined };
  registration.workflow = dbos.registerWorkflow(run, { name });
  byName.set(name, registration);
  return registration;
}

function requireName(name: string): void {
  if (/^[\w.:-]{1,100}$/.test(name)) return;
  throw new OperationsDbosError(
    "invalid_options",
    `The name ${JSON.stringify(name)} must be 1 to 100 letters, digits, and . _ : -`,
  );
}
