import type { Clock } from "@ccl/core";
import type { OperationKey, RunStore, StoredRun } from "@ccl/operations";

import { operationName } from "./operation-name.ts";

/** Looks at runs that others carry for workflows of operations that wait here. */
export interface RunWatch {
  /** Looks now and then, for as long as somebody waits. A second call changes nothing. */
  watch(runId: string): void;
  close(): void;
}

/** What a watch works with. */
export interface RunWatchOptions {
  runs: Pick<RunStore, "loadRun">;
  /** Of a run that shows no sign of life for so long its operations' workflows end as `left`. */
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
      // A store that can't be read shows no sign of life either.
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

/** What the store says of how operations have ended; undefined for those that have not. */
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
    // A look must not keep the process alive.
    setTimeout(resolve, delayMs).unref();
  });
}
