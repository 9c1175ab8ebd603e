import type { RunEvent, StoredRun } from "@ccl/operations";
import type { OperationStores } from "@ccl/operations";

import { usageError } from "../cli-error.ts";

/** Loads a run by its id. @throws CliError `usage` */
export async function loadRun(
  { runs }: Pick<OperationStores, "runs">,
  id: string,
): Promise<StoredRun> {
  const run = await runs.loadRun(id);
  if (run !== undefined) return run;
  throw usageError(`The store has no run ${JSON.stringify(id)}; see ccl run list.`);
}

/** Loads the newest runs, and says whether there are more. Excludes ended runs unless all are requested. */
export async function newestRuns(
  { runs }: Pick<OperationStores, "runs">,
  { all, limit }: { all: boolean; limit: number },
): Promise<{ runs: StoredRun[]; hasMore: boolean }> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await runs.listRuns({ all, cursor, limit: Math.min(limit - ids.length, 1_000) });
    ids.push(...page.runs.map(({ runId }) => runId));
    cursor = page.cursor;
  } while (cursor !== undefined && ids.length < limit);
  const found = await Promise.all(ids.map((id) => runs.loadRun(id)));
  return { runs: found.filter((run) => run !== undefined), hasMore: cursor !== undefined };
}

/** Reads all events of a run. */
export async function allEvents(
  { runs }: Pick<OperationStores, "runs">,
  runId: string,
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await runs.readEvents(runId, { afterSeq: events.at(-1)?.seq, limit: 1_000 });
    events.push(...page);
    if (page.length < 1_000) return events;
  }
}
