import type { StoredRun } from "@ccl/operations";
import type { OperationStores } from "@ccl/operations/sqlite";

/** The newest runs first; only those that have not ended, where not all are wanted. */
export async function newestRuns(
  { runs }: OperationStores,
  options: { all: boolean; limit: number },
): Promise<StoredRun[]> {
  const page = await runs.listRuns(options);
  const found = await Promise.all(page.runs.map(({ runId }) => runs.loadRun(runId)));
  return found.filter((run) => run !== undefined);
}
