import { systemClock, type Clock } from "@ccl/core";
import type { ExecutorEngine, Hook, RunDriver, RunExecutor, RunStore } from "@ccl/operations";

import { executeOperation } from "./execute-operation.ts";
import { executeRun } from "./execute-run.ts";
import type { DbosWorkflows } from "./dbos-sdk.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";
import { createAttemptQueue, type AttemptQueue } from "./attempt-queue.ts";
import { createRunWatch } from "./run-watch.ts";
import { registerWorkflows } from "./workflow-registration.ts";

/** Options of an executor. */
export interface DbosExecutorOptions {
  /** The class `DBOS` of `@dbos-inc/dbos-sdk`, not launched yet. */
  dbos: DbosWorkflows;
  /** The engine's own store: a run has ended when it says so. */
  runs: Pick<RunStore, "loadRun">;
  /** Name of the workflow of runs, the same in every process that is to carry them; default `ccl.operations.run`. */
  name?: string | undefined;
  /** How often a run that could not be carried to its end is tried before its workflow fails; default 10. */
  maxAttempts?: number | undefined;
  /** An operation's workflow ends as `left` once its run has had no worker for so long; from 100, default 60,000. */
  leftAfterMs?: number | undefined;
  /** Called with errors in the background. */
  onError?: ((error: OperationsDbosError) => void) | undefined;
  clock?: Clock | undefined;
}

/** An executor on DBOS. */
export interface DbosExecutor extends RunExecutor {
  /** Name of the workflow of runs; that of operations has `.operation` after it. */
  readonly name: string;
}

const defaultName = "ccl.operations.run";

/**
 * Registers the workflows that carry runs, to be called before `DBOS.launch()`. Each run is a workflow with the run's id;
 * each operation that it plans is a child of it with the id `runId:hook:operationId`, started in the order of the plan.
 * The engine alone decides when an operation begins, and its journal knows what has ended.
 * @throws OperationsDbosError `invalid_options`, `name_taken`, `already_launched`
 */
export function createDbosExecutor(options: DbosExecutorOptions): DbosExecutor {
  const { dbos, runs, name = defaultName, maxAttempts = 10, leftAfterMs = 60_000 } = options;
  const { onError = () => {}, clock = systemClock } = options;
  checkOptions({ name, maxAttempts, leftAfterMs });
  let resolveEngine: (attached: { drive: RunDriver; engine: ExecutorEngine }) => void = () => {};
  let isAttached = false;
  const attached = new Promise<{ drive: RunDriver; engine: ExecutorEngine }>((resolve) => {
    resolveEngine = resolve;
  });
  const registration = registerWorkflows(dbos, name);
  const attemptQueue: AttemptQueue = createAttemptQueue((runId) => watch.watch(runId));
  const { isOrphaned: isNeeded, end } = attemptQueue;
  const watch = createRunWatch({ runs, leftAfterMs, clock, isNeeded, end });
  const retry = {
    retriesAllowed: maxAttempts > 1,
    maxAttempts,
    intervalSeconds: 1,
    backoffRate: 2,
  };
  const { operation } = registration;
  registration.bodies = {
    run: async (runId = "") =>
      executeRun(runId, { dbos, runs, attemptQueue, attached, operation, retry, onError }),
    operation: async (runId = "", hook = "", operationId = "") =>
      isHook(hook)
        ? executeOperation(dbos, attemptQueue.take(runId, { hook, operationId }))
        : "unknown_operation",
    close() {
      attemptQueue.close();
      watch.close();
    },
  };
  return {
    name,
    isLocal: true,
    recoversRuns: true,
    attach(drive, engine) {
      if (isAttached) {
        throw new OperationsDbosError(
          "name_taken",
          `The executor ${JSON.stringify(name)} has an engine already; give each engine one of its own.`,
        );
      }
      isAttached = true;
      resolveEngine({ drive, engine });
    },
    async submit(runId) {
      // Of a workflow that is there already DBOS gives the handle and starts nothing.
      await dbos.startWorkflow(registration.run, { workflowID: runId })(runId);
    },
    executeAttempt: async (attempt, execute) => attemptQueue.run(attempt, execute),
    onEvent: (event) => attemptQueue.onEvent(event),
  };
}

function isHook(hook: string): hook is Hook {
  return hook === "before_main_llm" || hook === "after_main_llm";
}

function checkOptions(options: { name: string; maxAttempts: number; leftAfterMs: number }): void {
  const { name, maxAttempts, leftAfterMs } = options;
  if (!/^[\w.:-]{1,100}$/.test(name)) {
    throw new OperationsDbosError(
      "invalid_options",
      `The name ${JSON.stringify(name)} must be 1 to 100 letters, digits, and . _ : -`,
    );
  }
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) {
    throw new OperationsDbosError(
      "invalid_options",
      `maxAttempts is ${maxAttempts}; give a whole number from 1.`,
    );
  }
  if (!(leftAfterMs >= 100 && leftAfterMs <= 2 ** 31 - 1)) {
    throw new OperationsDbosError(
      "invalid_options",
      `leftAfterMs is ${leftAfterMs}; give milliseconds from 100 to ${2 ** 31 - 1}.`,
    );
  }
}
