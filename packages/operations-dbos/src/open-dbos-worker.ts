import { createUuidV7Generator, systemClock, type Clock } from "@ccl/core";

import { createDbosExecutor, type DbosExecutor } from "./create-dbos-executor.ts";
import type { DbosLogger, DbosSdk, PostgresPool } from "./dbos-sdk.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";
import { takeOver, type WorkerRuns } from "./take-over.ts";
import { createWorkerLock, type WorkerLock } from "./worker-lock.ts";
import { freeExecutorName } from "./workflow-registration.ts";

/** Options of a worker. */
export interface DbosWorkerOptions {
  /** The class `DBOS` of `@dbos-inc/dbos-sdk`, not launched yet. */
  dbos: DbosSdk;
  /** A pool of `pg`; DBOS keeps its own tables in it, and the worker one connection. Stays open. */
  pool: PostgresPool;
  /** The engine's own store, which all workers share. */
  runs: WorkerRuns;
  /** Unique among all live workers; default a new id. */
  workerName?: string | undefined;
  /** Of the application as DBOS knows it; default `ccl-operations`. Workers take over within one application. */
  applicationName?: string | undefined;
  /** Workers take over within one version; default `1`, since the journal of a run does not depend on the code. */
  applicationVersion?: string | undefined;
  /** Of DBOS's tables; default `dbos`. Created if it is missing. */
  schema?: string | undefined;
  /** How often the worker looks for runs of dead ones; default 5,000. 0: only when `takeOver` is called. */
  takeOverEveryMs?: number | undefined;
  /** A run that so many workers have died of is left alone; default 20. */
  maxTakeovers?: number | undefined;
  /** See `DbosExecutorOptions`. */
  maxAttempts?: number | undefined;
  /** See `DbosExecutorOptions`. */
  leftAfterMs?: number | undefined;
  /** Called with errors in the background. */
  onError?: ((error: OperationsDbosError) => void) | undefined;
  /** Where DBOS writes; default nowhere. */
  logger?: DbosLogger | undefined;
  clock?: Clock | undefined;
  /** Ends the opening. */
  signal?: AbortSignal | undefined;
}

/** A process that carries out runs, and those of workers that have died. */
export interface DbosWorker {
  readonly workerName: string;
  /** For `createRunEngine`. */
  readonly executor: DbosExecutor;
  /** Looks for runs of dead workers now; returns how many it has found. @throws OperationsDbosError */
  takeOver(): Promise<number>;
  /** Waits for the runs of this process, at most that long (default 5,000); what is left, other workers take over. */
  close(options?: { waitMs?: number | undefined }): Promise<void>;
}

const silent: DbosLogger = { info() {}, debug() {}, warn() {}, error() {} };

/**
 * Launches DBOS, without logging and connected to the pool's server only. Runs of dead workers are waited for until the lease
 * that they held in the engine's store is over (`limits.leaseMs` of the engine).
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
    // Of two that make DBOS's tables at the same time one is ended by the server, for a deadlock.
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

/** Looks one after another; who asks during one gets that one's answer. */
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
