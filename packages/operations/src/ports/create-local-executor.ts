import type { RunDriver, RunExecutor } from "./run-executor.ts";

/** Executes runs immediately, in this process. */
export function createLocalExecutor(): RunExecutor {
  let drive: RunDriver | undefined;
  return {
    attach(driver) {
      drive = driver;
    },
    async submit(runId) {
      void drive?.(runId);
    },
  };
}
