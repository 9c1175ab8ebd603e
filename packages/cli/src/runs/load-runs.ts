import type { StoredRun } from "@ccl/operations";
import type { OperationStores } from "@ccl/operations/sqlite";

import { CliError } from "../cli-error.ts";

/** The run of an id. @throws CliError `usage` */
export async function loadRun(
  { runs }: Pick<OperationStores, "runs">,
  id: string,
): Promise<StoredRun> {
  const run = await runs.loadRun(id);
  if (run !== undefined) return run;
  throw new CliError("usage", `The store has no run ${JSON.stringify(id)}; see ccl run list.`);
}

/** The newest runs first; only those that have not ended, where not all are wanted. */
export async function newestRuns(
  { runs }: OperationStores,
  options: { all: boolean; limit: number },
): Promise<StoredRun[]> {
  const page = await runs.listRuns(options);
  const found = await Promise.all(page.runs.map(({ runId }) => runs.loadRun(runId)));
  return found.filter((run) => run !== undefined);
}
