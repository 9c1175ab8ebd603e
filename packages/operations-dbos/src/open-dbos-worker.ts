import { createUuidV7Generator, systemClock, type Clock } from "@ccl/core";

import { createDbosExecutor, type DbosExecutor } from "./create-dbos-executor.ts";
import type { DbosLogger, DbosSdk, PostgresPool } from "./dbos-sdk.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";
import { takeOver, type WorkerRuns } from "./take-over.ts";
import { createWorkerLock, type WorkerLock } from "./worker-lock.ts";
import { freeExecutorName } from "./workflow-registration.ts";

/** Options of a worker. */
export interface DbosWorkerOptions {
  /** The class `DBOS` of `@dbos-inc/dbos-sdk`, before its launch. */
  dbos: DbosSdk;
  /** A pool of `pg`, in which DBOS keeps its own tables and the worker uses one connection. It stays open. */
  pool: PostgresPool;
  /** The engine's own store, which all workers share. */
  runs: WorkerRuns;
  /** Unique among all live workers. A new id by default. */
  workerName?: string | undefined;
  /** Name of the application in DBOS. `ccl-operations` by default. Workers take over runs within one application. */
  applicationName?: string | undefined;
  /** Workers take over runs within one version. `1` by default, because a run's journal does not depend on the code. */
  applicationVersion?: string | undefined;
  /** Schema of DBOS's tables, created if missing. `dbos` by default. */
  schema?: string | undefined;
  /** How often the worker looks for runs of dead workers. 5,000 by default. 0: only when `takeOver` is called. */
  takeOverEveryMs?: number | undefined;
  /** A run during which this many workers died is abandoned. 20 by default. */
  maxTakeovers?: number | undefined;
  /** See `DbosExecutorOptions`. */
  maxAttempts?: number | undefined;
  /** See `DbosExecutorOptions`. */
  leftAfterMs?: number | undefined;
  /** Called with errors that happen in the background. */
  onError?: ((error: OperationsDbosError) => void) | undefined;
  /** Receives DBOS's log. By default the log is discarded. */
  logger?: DbosLogger | undefined;
  clock?: Clock | undefined;
  /** Aborts the opening. */
  signal?: AbortSignal | undefined;
}

/** A process that executes runs, including those of workers that have died. */
export interface DbosWorker {
  readonly workerName: string;
  /** Pass it to `createRunEngine`. */
  readonly executor: DbosExecutor;
  /** Looks for runs of dead workers now. Returns how many it found. @throws OperationsDbosError */
  takeOver(): Promise<number>;
  /** Waits up to `waitMs` (5,000 by default) for the runs of this process. Other workers take over the rest. */
  close(options?: { waitMs?: number | undefined }): Promise<void>;
}

const silent: DbosLogger = { info() {}, debug() {}, warn() {}, error() {} };

/**
 * Launches DBOS without its own logging, connected only to the pool's server. The runs of a dead worker are taken over
 * once its lease in the engine's store has expired (`limits.leaseMs` of the engine).
 * @throws OperationsDbosError `invalid_options`, `name_taken`, `already_launched`, `launch_failed`, `database_failed`
 */
export async function openDbosWorker(options: DbosWorkerOptions): Promise<DbosWorker> {
  const { dbos, pool, runs, clock = systemClock, onError = () => {}, signal } = options;
  const {
    workerName = createUuidV7Generator({ clock }).next(),
    maxTakeovers = 20,
    schema = "dbos",
  } = options;
  const everyMs = options.takeOverEveryMs ?? 5_000;
  checkOptions({ workerName, everyMs, maxTakeovers });
  signal?.throwIfAborted();
  if (dbos.isInitialized()) {
    throw new OperationsDbosError(
      "already_launched",
      "DBOS is launched already in this process; use createDbosExecutor before DBOS.launch().",
    );
  }
  const { maxAttempts, leftAfterMs } = options;
  const limits = {
    maxAttempts,
    leftAfterMs,
  };
  const executor = createDbosExecutor({ dbos, runs, clock, onError, ...limits });
  const applicationName = options.applicationName ?? "ccl-operations";
  const lock = createWorkerLock({ pool, schema, applicationName, workerName });
  try {
    await holdOrThrow(lock, workerName);
    dbos.setConfig(settingsOf(options, { workerName, applicationName, schema }));
    // If two workers create DBOS's tables at once, the server aborts one of them because of a deadlock.
    await lock.whileAlone(() => launch(dbos), signal);
    signal?.throwIfAborted();
  } catch (error) {
    if (dbos.isInitialized()) await dbos.shutdown();
    await lock.close();
    freeExecutorName(dbos, executor.name);
    throw error;
  }
  const parts = {
    dbos,
    runs,
    executor,
    lock,
    workerName,
    maxTakeovers,
    now: () => clock.now(),
    onError,
    abandoned: new Set<string>(),
  };
  const look = createSweep(async () => {
    await holdOrThrow(lock, workerName);
    return takeOver(parts);
  });
  const timer =
    everyMs > 0
      ? setInterval(
          () => void look.now().catch((error: unknown) => onError(dbosErrorOf(error))),
          everyMs,
        )
      : undefined;
  let closing: Promise<void> | undefined;
  return {
    workerName,
    executor,
    takeOver: look.now,
    async close({ waitMs = 5_000 } = {}) {
      closing ??= (async () => {
        clearInterval(timer);
        await look.end();
        await dbos.shutdown({ workflowCompletionTimeoutMS: waitMs });
        await lock.close();
        freeExecutorName(dbos, executor.name);
      })();
      await closing;
    },
  };
}

function checkOptions(options: {
  workerName: string;
  everyMs: number;
  maxTakeovers: number;
}): void {
  const { workerName, everyMs, maxTakeovers } = options;
  if (!/^[\w.:-]{1,200}$/.test(workerName)) {
    throw new OperationsDbosError(
      "invalid_options",
      `The worker's name ${JSON.stringify(workerName)} must be 1 to 200 letters, digits, and . _ : -`,
    );
  }
  if (!(everyMs >= 0 && everyMs <= 2 ** 31 - 1)) {
    throw new OperationsDbosError(
      "invalid_options",
      `takeOverEveryMs is ${everyMs}; give milliseconds from 0 to ${2 ** 31 - 1}.`,
    );
  }
  if (!(maxTakeovers >= 0)) {
    throw new OperationsDbosError(
      "invalid_options",
      `maxTakeovers is ${maxTakeovers}; give a number from 0.`,
    );
  }
}

function settingsOf(
  options: DbosWorkerOptions,
  of: { workerName: string; applicationName: string; schema: string },
): Parameters<DbosSdk["setConfig"]>[0] {
  const { pool, applicationVersion = "1", logger = silent } = options;
  return {
    name: of.applicationName,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: of.schema,
    executorID: of.workerName,
    applicationVersion,
    logger,
    enableOTLP: false,
    tracingEnabled: false,
    useListenNotify: false,
  };
}

async function launch(dbos: DbosSdk): Promise<void> {
  try {
    await dbos.launch();
  } catch (error) {
    const message =
      "DBOS did not start; its database may be out of reach, or the role may not make the schema.";
    throw new OperationsDbosError("launch_failed", message, { cause: error });
  }
}

async function holdOrThrow(lock: WorkerLock, workerName: string): Promise<void> {
  if (await lock.hold().catch((error: unknown) => Promise.reject(dbosErrorOf(error)))) return;
  throw new OperationsDbosError(
    "name_taken",
    `A worker ${JSON.stringify(workerName)} lives already; give each process a name of its own.`,
  );
}

function dbosErrorOf(error: unknown): OperationsDbosError {
  if (OperationsDbosError.isInstance(error)) return error;
  return new OperationsDbosError(
    "database_failed",
    "A look for runs of dead workers failed; the next one comes.",
    {
      cause: error,
    },
  );
}

/** Runs one search at a time. A caller during a search gets the result of that search. */
function createSweep(look: () => Promise<number>): {
  now(): Promise<number>;
  end(): Promise<void>;
} {
  let current: Promise<number> | undefined;
  let hasEnded = false;
  return {
    async now() {
      if (hasEnded)
        throw new OperationsDbosError("closed", "The worker is closed; open another one.");
      current ??= look().finally(() => {
        current = undefined;
      });
      return current;
    },
    async end() {
      hasEnded = true;
      await current?.catch(() => 0);
    },
  };
}
