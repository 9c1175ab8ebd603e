import type { ExecutorEngine, OperationKey, RunDriver, RunStore } from "@ccl/operations";

import type { DbosStepOptions, DbosWorkflow, DbosWorkflows } from "./dbos-sdk.ts";
import { operationWorkflowId } from "./operation-workflow-id.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";
import type { RunAttempts, AttemptQueue } from "./attempt-queue.ts";

/** What the workflow of a run works with. */
export interface ExecuteRunOptions {
  dbos: Pick<DbosWorkflows, "runStep" | "startWorkflow" | "stepStatus">;
  runs: Pick<RunStore, "loadRun">;
  attemptQueue: AttemptQueue;
  /** Resolves once an engine is attached. */
  attached: Promise<{ drive: RunDriver; engine: ExecutorEngine }>;
  /** The workflow of an operation. */
  operation: DbosWorkflow;
  /** How often each step is retried. */
  retry: DbosStepOptions;
  onError(error: OperationsDbosError): void;
}

/**
 * The workflow of a run. Its calls have the same numbers in every execution: the plan, the drive, then a start for each
 * operation in the order of the plan, which the first call recorded. None of them waits for an operation.
 */
export async function executeRun(runId: string, options: ExecuteRunOptions): Promise<string> {
  const { dbos, attemptQueue, retry } = options;
  const operations = await dbos.runStep(async () => planOf(runId, options), {
    name: "plan",
    ...retry,
  });
  const queue = attemptQueue.open(runId, operations);
  try {
    const driven = dbos.runStep(async () => driveToEnd(runId, options), {
      name: "drive",
      ...retry,
    });
    const [drive] = await Promise.allSettled([
      driven,
      startOperations(runId, { options, operations, queue }),
    ]);
    if (drive.status === "rejected") throw drive.reason;
    return drive.value;
  } finally {
    queue.close();
  }
}

async function planOf(
  runId: string,
  { runs, attached }: ExecuteRunOptions,
): Promise<OperationKey[]> {
  const { engine } = await attached;
  const stored = await runs.loadRun(runId);
  return stored === undefined ? [] : engine.operationsOf(stored.input);
}

async function driveToEnd(
  runId: string,
  { dbos, runs, attached }: ExecuteRunOptions,
): Promise<string> {
  const { drive, engine } = await attached;
  if ((await runs.loadRun(runId)) === undefined) return "unknown_run";
  const cancelled = dbos.stepStatus?.cancelSignal;
  const onCancel = (): void => engine.abort(runId, "Its workflow was cancelled.");
  cancelled?.addEventListener("abort", onCancel, { once: true });
  const result = await drive(runId).finally(() =>
    cancelled?.removeEventListener("abort", onCancel),
  );
  const stored = await runs.loadRun(runId);
  if (stored?.result !== undefined) return stored.result.status;
  const why = result?.failedDetails?.errorMessage ?? "Its worker gave it up.";
  throw new OperationsDbosError("not_ended", `Run ${runId} has not ended. ${why}`, {
    details: { runId },
  });
}

/**
 * Starts them one after another, in the order of the plan. DBOS returns the handle of a workflow that exists already.
 */
async function startOperations(
  runId: string,
  of: { options: ExecuteRunOptions; operations: readonly OperationKey[]; queue: RunAttempts },
): Promise<void> {
  const { dbos, operation: workflow, onError } = of.options;
  let hasFailed = false;
  for (const operation of of.operations) {
    const { hook, operationId } = operation;
    try {
      await dbos.startWorkflow(workflow, { workflowID: operationWorkflowId(runId, operation) })(
        runId,
        hook,
        operationId,
      );
    } catch (error) {
      // The run continues without it, because the run's own journal records what has ended.
      if (!hasFailed) onError(notStarted(runId, operationId, error));
      hasFailed = true;
    }
    of.queue.started(operation);
  }
}

function notStarted(runId: string, operationId: string, cause: unknown): OperationsDbosError {
  const message = `The workflow of operation ${JSON.stringify(operationId)} could not be started; run ${runId} goes on without it.`;
  return new OperationsDbosError("not_started", message, {
    cause,
    details: { runId, operationId },
  });
}
