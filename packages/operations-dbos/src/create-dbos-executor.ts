import { onAbort } from "@ccl/core/async";
import type { RunExecutor, RunStore } from "@ccl/operations";

import type { DbosWorkflows } from "./dbos-sdk.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";
import { registerWorkflow } from "./registered-workflows.ts";

/** Options of an executor. */
export interface DbosExecutorOptions {
  /** The class `DBOS` of `@dbos-inc/dbos-sdk`, before its launch. */
  dbos: DbosWorkflows;
  /** The engine's own store, which determines whether a run has ended. */
  runs: Pick<RunStore, "loadRun">;
  /** Name of the workflow that executes runs. Must be the same in every process. Defaults to `ccl.operations.run`. */
  name?: string | undefined;
}

/** A run executor based on DBOS. */
export interface DbosExecutor extends RunExecutor {
  /** Name of the workflow that executes runs. */
  readonly name: string;
}

/**
 * Registers the workflow that executes runs. Must be called before `DBOS.launch()`. Each run is a workflow with the
 * run's id and one step. The engine's journal records what the run has completed.
 * @throws OperationsDbosError `name_taken`, `already_launched`
 */
export function createDbosExecutor({
  dbos,
  runs,
  name = "ccl.operations.run",
}: DbosExecutorOptions): DbosExecutor {
  let resolveEngine: (parameters: Attached) => void = () => {};
  let isAttached = false;
  const attached = new Promise<Attached>((resolve) => {
    resolveEngine = resolve;
  });
  const workflow = registerWorkflow(dbos, name, (runId) =>
    dbos.runStep(() => driveToEnd(runId, { dbos, runs, attached }), drive),
  );
  return {
    name,
    attach(...parameters) {
      if (isAttached) {
        throw new OperationsDbosError(
          "name_taken",
          `The executor ${JSON.stringify(name)} has an engine already; give each engine its own executor.`,
        );
      }
      isAttached = true;
      resolveEngine(parameters);
    },
    async submit(runId, isResumed) {
      const query = { workflowIDs: [runId], loadInput: false, loadOutput: false };
      const [known] = isResumed ? await dbos.listWorkflows(query) : [];
      // If the workflow already exists, DBOS returns its handle and starts nothing.
      if (known === undefined) await dbos.startWorkflow(workflow, { workflowID: runId })(runId);
      // A worker executes it again, which waits for the run to end.
      if (known?.status === "PENDING") await dbos.resumeWorkflows([runId]);
      if (known?.status === "CANCELLED") (await attached)[1](runId, cancelled);
    },
  };
}

// Retries a run that this process could not finish.
const drive = {
  name: "drive",
  retriesAllowed: true,
  maxAttempts: 10,
  intervalSeconds: 1,
  backoffRate: 2,
};

type Attached = Parameters<RunExecutor["attach"]>;

const cancelled = "Its workflow was cancelled.";

/** Executes a run until its store reports that it has ended, so that DBOS retries it until then. */
async function driveToEnd(
  runId: string,
  {
    dbos,
    runs,
    attached,
  }: Pick<DbosExecutorOptions, "dbos" | "runs"> & { attached: Promise<Attached> },
): Promise<string> {
  const [drive, abort] = await attached;
  if ((await runs.loadRun(runId)) === undefined) return "unknown_run";
  const signal = dbos.stepStatus?.cancelSignal;
  const forget = signal && onAbort(signal, () => abort(runId, cancelled));
  const result = await drive(runId).finally(forget);
  const stored = await runs.loadRun(runId);
  if (stored?.result !== undefined) return stored.result.status;
  const why = result?.failedDetails?.errorMessage ?? "Its worker gave it up.";
  throw new OperationsDbosError("not_ended", `Run ${runId} has not ended. ${why}`, {
    details: { runId },
  });
}
