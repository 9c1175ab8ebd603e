import type { RunDriver, RunExecutor } from "./run-executor.ts";

/** Carries out runs in this process, at once. What a crash leaves waits for `resume`. */
export function createLocalExecutor(): RunExecutor {
  let drive: RunDriver | undefined;
  return {
    isLocal: true,
    attach(driver) {
      drive = driver;
    },
    async submit(runId) {
      void drive?.(runId);
    },
  };
}
