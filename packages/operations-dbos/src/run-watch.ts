import type { Clock } from "@ccl/core";
import type { OperationKey, RunStore, StoredRun } from "@ccl/operations";

import { operationName } from "./operation-name.ts";

/** Watches runs that other processes execute, for operation workflows that wait here. */
export interface RunWatch {
  /** Polls the run while a workflow waits for it. A second call has no effect. */
  watch(runId: string): void;
  close(): void;
}

/** Dependencies of a watch. */
export interface RunWatchOptions {
  runs: Pick<RunStore, "loadRun">;
  /** If a run shows no sign of life for this long, its operations' workflows end as `left`. */
  leftAfterMs: number;
  clock: Clock;
  isNeeded(runId: string): boolean;
  end(runId: string, statusOf: (operation: OperationKey) => string | undefined): void;
}

const lookEveryMs = 1_000;

/** A watch over the store of runs. */
export function createRunWatch(options: RunWatchOptions): RunWatch {
  const { runs, leftAfterMs, clock, end } = options;
  const everyMs = Math.min(lookEveryMs, leftAfterMs / 4);
  const watched = new Set<string>();
  let isClosed = false;
  const isNeeded = (runId: string): boolean => !isClosed && options.isNeeded(runId);
  const follow = async (runId: string): Promise<void> => {
    let quietMs = 0;
    let expiresAtMs = 0;
    const look = async (): Promise<(operation: OperationKey) => string | undefined> => {
      const stored = await runs.loadRun(runId);
      expiresAtMs = stored?.lease?.expiresAtMs ?? 0;
      return statusesOf(stored);
    };
    while (isNeeded(runId)) {
      // A store that cannot be read counts as no sign of life.
      end(runId, await look().catch(() => () => undefined));
      quietMs = expiresAtMs > clock.now() ? 0 : quietMs + everyMs;
      if (quietMs > leftAfterMs) end(runId, () => "left");
      if (isNeeded(runId)) await pause(everyMs);
    }
  };
  return {
    watch(runId) {
      if (watched.has(runId)) return;
      watched.add(runId);
      void follow(runId).finally(() => watched.delete(runId));
    },
    close() {
      isClosed = true;
    },
  };
}

/** How operations have ended, according to the store. Undefined for those that have not. */
function statusesOf(
  stored: StoredRun | undefined,
): (operation: OperationKey) => string | undefined {
  if (stored === undefined) return () => "unknown_run";
  const { result, steps } = stored;
  const ends = new Map<string, string>();
  for (const step of steps) {
    if (step.kind === "operation" && step.willRetry !== true)
      ends.set(operationName(step), step.status);
  }
  for (const run of result?.operationRuns ?? []) ends.set(operationName(run), run.status);
  const otherwise = result === undefined ? undefined : "unknown_operation";
  return (operation) => ends.get(operationName(operation)) ?? otherwise;
}

async function pause(delayMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    // Polling must not keep the process alive.
    setTimeout(resolve, delayMs).unref();
  });
}
