import { createUuidV7Generator } from "@ccl/core";
import { sleep } from "@ccl/core/async";
import { valueAt } from "@ccl/core/json";

import {
  createDbosExecutor,
  type DbosExecutor,
  type DbosExecutorOptions,
} from "./create-dbos-executor.ts";
import type { DbosLogger, DbosSdk, PostgresConnection, PostgresPool } from "./dbos-sdk.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";
import { freeExecutorName } from "./registered-workflows.ts";

/** Options of a worker. */
export interface DbosWorkerOptions extends Pick<DbosExecutorOptions, "runs"> {
  /** The class `DBOS` of `@dbos-inc/dbos-sdk`, before its launch. */
  dbos: DbosSdk;
  /** A pool of `pg`, in which DBOS keeps its own tables. It is not closed. */
  pool: PostgresPool;
  /** Receives DBOS's log. By default the log is discarded. */
  logger?: DbosLogger | undefined;
  /** Aborts opening. */
  signal?: AbortSignal | undefined;
}

/** A process that executes runs, including those of workers that have died. */
export interface DbosWorker {
  /** Unique among all workers. */
  readonly workerName: string;
  /** Executor to pass to `createRunEngine`. */
  readonly executor: DbosExecutor;
  /** Waits up to `waitMs` (5,000 by default) for this process's runs. Other workers resume the rest. */
  close(options?: { waitMs?: number | undefined }): Promise<void>;
}

const silent: DbosLogger = { info() {}, debug() {}, warn() {}, error() {} };

/**
 * Launches DBOS without its own logging, connected only to the pool's server. Engines resume a dead worker's runs once
 * its lease in their store has expired (the engine's `limits.leaseMs`).
 * @throws OperationsDbosError `name_taken`, `already_launched`, `launch_failed`, `database_failed`
 */
export async function openDbosWorker(options: DbosWorkerOptions): Promise<DbosWorker> {
  const { dbos, pool, runs, signal, logger = silent } = options;
  const workerName = createUuidV7Generator().next();
  signal?.throwIfAborted();
  if (dbos.isInitialized()) {
    throw new OperationsDbosError(
      "already_launched",
      "DBOS is launched already in this process; use createDbosExecutor before DBOS.launch().",
    );
  }
  const executor = createDbosExecutor({ dbos, runs });
  try {
    dbos.setConfig({
      name: "ccl-operations",
      systemDatabasePool: pool,
      systemDatabaseSchemaName: schema,
      executorID: workerName,
      // A run's journal does not depend on the code version.
      applicationVersion: "1",
      logger,
      enableOTLP: false,
      tracingEnabled: false,
      useListenNotify: false,
    });
    await launchAlone(dbos, { pool, signal });
    signal?.throwIfAborted();
  } catch (error) {
    if (dbos.isInitialized()) await dbos.shutdown();
    freeExecutorName(dbos, executor.name);
    throw error;
  }
  let closing: Promise<void> | undefined;
  return {
    workerName,
    executor,
    async close({ waitMs = 5_000 } = {}) {
      closing ??= dbos.shutdown({ workflowCompletionTimeoutMS: waitMs });
      await closing;
      freeExecutorName(dbos, executor.name);
    },
  };
}

const schema = "dbos";

// Polls, because a session waiting in the server would block an index that another one is building, and neither could
// proceed.
const askAgainMs = 50;

/** Launches alone. If two workers create DBOS's tables at once, the server aborts one because of a deadlock. */
async function launchAlone(
  dbos: DbosSdk,
  { pool, signal }: Pick<DbosWorkerOptions, "pool" | "signal">,
): Promise<void> {
  let connection: PostgresConnection | undefined;
  try {
    connection = await pool.connect();
    while (!(await hasLock(connection))) await sleep(askAgainMs, signal);
  } catch (cause) {
    connection?.release(true);
    signal?.throwIfAborted();
    const message = "PostgreSQL cannot be reached, or refused an advisory lock.";
    throw new OperationsDbosError("database_failed", message, { cause });
  }
  try {
    await dbos.launch();
  } catch (cause) {
    const message =
      "DBOS did not start; its database may be out of reach, or the role may not make the schema.";
    throw new OperationsDbosError("launch_failed", message, { cause });
  } finally {
    // Closing the connection releases the lock.
    connection.release(true);
  }
}

async function hasLock(connection: PostgresConnection): Promise<boolean> {
  const text = "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS answer";
  const { rows } = await connection.query(text, [schema]);
  return valueAt(rows, [0, "answer"]) === true;
}
