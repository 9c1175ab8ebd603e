import { callListener } from "@ccl/core/events";

import { messageOf } from "../operation/message-of.ts";
import { OperationsError } from "../operations-error.ts";
import type { EngineServices, RunEngineOptions } from "./engine-options.ts";

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

/** Resumes a run. `taken` means that this process has it now. */
interface RunTaker {
  takeOver(runId: string): Promise<string>;
}

/** Outcome of one search for runs without a worker. */
interface Recovery {
  /** Runs that resume in this process. */
  runIds: string[];
  /** Milliseconds since the epoch. No lease expires before then. */
  nextAtMs: number;
}

/** Resumes unfinished runs whose leases have expired, or whose workers are known to be dead. */
export async function recoverRuns(
  { runs, clock, limits, isOwnerDead }: EngineServices,
  runner: RunTaker,
): Promise<Recovery> {
  const nowMs = clock.now();
  // A run that starts after this search has a lease for that long.
  const recovery: Recovery = { runIds: [], nextAtMs: nowMs + limits.leaseMs };
  let cursor: string | undefined;
  do {
    const page = await runs.listRuns({ cursor });
    for (const { runId, lease } of page.runs) {
      const expiresAtMs = lease?.expiresAtMs ?? nowMs;
      if (expiresAtMs > nowMs && !(lease && (await isOwnerDead(lease.owner))))
        recovery.nextAtMs = Math.min(recovery.nextAtMs, expiresAtMs);
      else if ((await runner.takeOver(runId)) === "taken") recovery.runIds.push(runId);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return recovery;
}

/** No caller awaits the search, so its errors are reported like those of listeners. */
function onFailure(cause: unknown): never {
  const message = `The search for runs without a worker failed and is repeated: ${messageOf(cause)}`;
  throw new OperationsError("unavailable", message, { cause });
}

const pruneEveryMs = 60 * 60 * 1_000;
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;

/** Searches for runs without a worker when leases may expire, and hourly for old ones, until the store is closed. */
export function startRecovery(
  services: EngineServices,
  runner: RunTaker,
  { prune }: Pick<RunEngineOptions, "prune">,
): void {
  const { clock, limits } = services;
  let retryMs = firstRetryMs;
  let pruneAtMs = prune === false ? Infinity : clock.now();
  const look = async (): Promise<void> => {
    try {
      const { nextAtMs } = await recoverRuns(services, runner);
      retryMs = firstRetryMs;
      if (pruneAtMs <= clock.now()) {
        pruneAtMs = clock.now() + pruneEveryMs;
        const endedBeforeMs = prune ? clock.now() - prune.afterMs : undefined;
        await pruneRecords(services, { endedBeforeMs });
      }
      schedule(Math.max(limits.pollMs, nextAtMs - clock.now()));
    } catch (error) {
      if (OperationsError.isInstance(error) && error.code === "closed") return;
      callListener(onFailure, error, services.onListenerError);
      schedule(retryMs);
      retryMs = Math.min(2 * retryMs, maxRetryMs);
    }
  };
  const schedule = (delayMs: number): void => {
    clock.schedule(delayMs, () => void look(), { isBackground: true });
  };
  schedule(0);
}
