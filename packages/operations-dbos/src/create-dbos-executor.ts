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
  /** The class `DBOS` of `@dbos-inc/dbos-sdk`, before its launch. */
  dbos: DbosWorkflows;
  /** The engine's own store, which decides whether a run has ended. */
  runs: Pick<RunStore, "loadRun">;
  /**
   * Name of the workflow of runs. Must be the same in every process that executes them. `ccl.operations.run` by
   * default.
   */
  name?: string | undefined;
  /** How often an unfinished run is retried before its workflow fails. 10 by default. */
  maxAttempts?: number | undefined;
  /**
   * An operation's workflow ends as `left` once its run has had no worker for this long. From 100, 60,000 by
   * default.
   */
  leftAfterMs?: number | undefined;
  /** Called with errors that happen in the background. */
  onError?: ((error: OperationsDbosError) => void) | undefined;
  clock?: Clock | undefined;
}

/** An executor on DBOS. */
export interface DbosExecutor extends RunExecutor {
  /** Name of the workflow of runs. That of operations is this name followed by `.operation`. */
  readonly name: string;
}

const defaultName = "ccl.operations.run";

/**
 * Registers the workflows that execute runs. Must be called before `DBOS.launch()`. Each run is a workflow with the
 * run's id. Each planned operation is a child workflow with the id `runId:hook:operationId`, started in the order of
 * the plan. Only the engine decides when an operation begins, and its journal records what has ended.
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
      // If the workflow exists already, DBOS returns its handle and starts nothing.
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
