import type { RunStore } from "@ccl/operations";

import type { DbosSdk, DbosWorkflowQuery, DbosWorkflowStatus } from "./dbos-sdk.ts";
import type { DbosExecutor } from "./create-dbos-executor.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";
import type { WorkerLock } from "./worker-lock.ts";
import { operationWorkflowName } from "./workflow-registration.ts";

/** What a worker reads from the store of runs. */
export type WorkerRuns = Pick<RunStore, "loadRun" | "listRuns" | "readEvents">;

/** Inputs of a search for abandoned runs. */
export interface TakeOverOptions {
  dbos: DbosSdk;
  runs: WorkerRuns;
  executor: DbosExecutor;
  lock: WorkerLock;
  workerName: string;
  maxTakeovers: number;
  /** Milliseconds since the epoch. */
  now: () => number;
  onError: (error: OperationsDbosError) => void;
  /** Runs that were abandoned, so that each is reported once. */
  abandoned: Set<string>;
}

/** Moves the runs of dead workers, and those that were never submitted, to live workers. Returns how many. */
export async function takeOver(options: TakeOverOptions): Promise<number> {
  const revived = await reviveWorkflows(options);
  return revived + (await submitForgotten(options));
}

const pageSize = 1_000;

async function reviveWorkflows(options: TakeOverOptions): Promise<number> {
  const { dbos, executor, lock, workerName } = options;
  const pending = await listPending(options, {});
  const others = new Set(
    pending.map(({ executorId }) => executorId ?? "").filter((name) => name !== workerName),
  );
  let revived = 0;
  for (const name of [...others].sort()) {
    await lock.whileDead(name, async () => {
      // Listed again under the lock, because another worker may have been first.
      const left = await listPending(options, { executorId: [name] });
      const runIdOf = ({
        workflowID,
        workflowName,
        parentWorkflowID,
      }: DbosWorkflowStatus): string =>
        workflowName === executor.name ? workflowID : (parentWorkflowID ?? workflowID);
      const runIds = new Set(left.map(runIdOf));
      for (const runId of runIds) if (!(await mayContinue(runId, options))) runIds.delete(runId);
      // Moved together, so that the worker that takes a run from DBOS's queue also takes its operations.
      const ids = left
        .filter((workflow) => runIds.has(runIdOf(workflow)))
        .map(({ workflowID }) => workflowID);
      if (ids.length > 0) await dbos.resumeWorkflows(ids);
      revived += runIds.size;
    });
  }
  return revived;
}

/** Lists the workflows of runs and of their operations. */
async function listPending(
  { dbos, executor }: TakeOverOptions,
  query: Pick<DbosWorkflowQuery, "executorId">,
): Promise<DbosWorkflowStatus[]> {
  const workflowName = [executor.name, operationWorkflowName(executor.name)];
  const found: DbosWorkflowStatus[] = [];
  for (;;) {
    const page = { limit: pageSize, offset: found.length, loadInput: false, loadOutput: false };
    const workflows = await dbos.listWorkflows({
      ...query,
      workflowName,
      status: "PENDING",
      ...page,
    });
    found.push(...workflows);
    if (workflows.length < pageSize) return found;
  }
}

/** False for a run during which too many workers died. */
async function mayContinue(runId: string, options: TakeOverOptions): Promise<boolean> {
  const { runs, maxTakeovers, onError, abandoned } = options;
  const stored = await runs.loadRun(runId);
  if (stored === undefined || stored.lastSeq === 0) return true;
  const [last] = await runs.readEvents(runId, { afterSeq: stored.lastSeq - 1, limit: 1 });
  const epoch = last?.epoch ?? 0;
  if (epoch <= maxTakeovers) return true;
  if (abandoned.has(runId)) return false;
  abandoned.add(runId);
  const message = `Run ${runId} was taken up ${epoch} times and never ended; it is left alone. Abort it, or resume it once its cause is gone.`;
  onError(new OperationsDbosError("takeovers_exceeded", message, { details: { runId, epoch } }));
  return false;
}

/** Submits stored runs whose process died before it created a workflow for them. */
async function submitForgotten({ dbos, runs, executor, now }: TakeOverOptions): Promise<number> {
  let submitted = 0;
  let cursor: string | undefined;
  do {
    const page = await runs.listRuns({ cursor });
    const free = page.runs
      .filter(({ lease }) => lease === undefined || lease.expiresAtMs <= now())
      .map(({ runId }) => runId);
    const known =
      free.length === 0
        ? []
        : await dbos.listWorkflows({ workflowIDs: free, loadInput: false, loadOutput: false });
    const ids = new Set(known.map(({ workflowID }) => workflowID));
    for (const runId of free) {
      if (ids.has(runId)) continue;
      await executor.submit(runId);
      submitted += 1;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return submitted;
}
