import type { EngineServices } from "./engine-services.ts";

/** Which records an engine deletes. */
export interface PruneOptions {
  /** Milliseconds since the epoch; default 30 days ago. */
  endedBeforeMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

const keptRunsMs = 30 * 24 * 60 * 60 * 1_000;
const prunedAtOnce = 1_000;

/** Deletes runs that ended before a time, and the long values that nothing shows any more; gives how many runs. */
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
