import type { EngineServices } from "./engine-services.ts";

/** Which records to delete. */
export interface PruneOptions {
  /** Milliseconds since the epoch. Defaults to 30 days ago. */
  endedBeforeMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

const keptRunsMs = 30 * 24 * 60 * 60 * 1_000;
const prunedAtOnce = 1_000;

/** Deletes runs that ended before a time, and long values no longer in use. Returns the number of runs. */
export async function pruneRecords(
  { runs, clock, sweepValues }: Pick<EngineServices, "runs" | "clock" | "sweepValues">,
  { endedBeforeMs, ...call }: PruneOptions = {},
): Promise<number> {
  const nowMs = clock.now();
  const which = { nowMs, limit: prunedAtOnce, ...call };
  let pruned = 0;
  for (let count = prunedAtOnce; count === prunedAtOnce; pruned += count)
    count = await runs.prune({ ...which, endedBeforeMs: endedBeforeMs ?? nowMs - keptRunsMs });
  await sweepValues?.(call);
  return pruned;
}
