import type { PostgresConnection, PostgresPool } from "./dbos-sdk.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";

/**
 * Distinguishes live workers from dead ones. Each worker holds an advisory lock under its name on a dedicated
 * connection. The server releases the lock with the connection, so a free lock belongs to no live worker.
 */
export interface WorkerLock {
  /** Takes the lock, again if the connection was lost. False if another process has it. */
  hold(): Promise<boolean>;
  /** Runs the callback under the lock of a dead worker. False if that worker is alive. */
  whileDead(workerName: string, callback: () => Promise<void>): Promise<boolean>;
  /** Runs the callback while no other worker of the schema is within such a call. Waits for those that are. */
  whileAlone(callback: () => Promise<void>, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

// Polls, because a session that waited in the server would block an index that another one is building, and never get
// its turn.
const askAgainMs = 50;

/** Options of a lock. Worker names are unique within an application and a schema of DBOS. */
export interface WorkerLockOptions {
  pool: PostgresPool;
  schema: string;
  applicationName: string;
  workerName: string;
}

/** The lock of one worker. */
export function createWorkerLock({
  pool,
  schema,
  applicationName,
  workerName,
}: WorkerLockOptions): WorkerLock {
  const keyOf = (name: string): string => `${schema}/${applicationName}/${name}`;
  let connection: PostgresConnection | undefined;
  const onError = (): void => drop(connection);
  const drop = (lost: PostgresConnection | undefined): void => {
    if (lost === undefined || lost !== connection) return;
    connection = undefined;
    lost.release(true);
  };
  const call = async (
    statement: "pg_try_advisory_lock" | "pg_advisory_unlock",
    key: string,
  ): Promise<boolean> => {
    const at = connection;
    if (at === undefined)
      throw new OperationsDbosError("database_failed", "The worker's connection is lost.");
    try {
      const { rows } = await at.query(`SELECT ${statement}(hashtextextended($1, 0)) AS answer`, [
        key,
      ]);
      return isTrue(rows[0]);
    } catch (error) {
      drop(at);
      throw new OperationsDbosError("database_failed", "PostgreSQL refused an advisory lock.", {
        cause: error,
      });
    }
  };
  const under = async (key: string, callback: () => Promise<void>): Promise<void> => {
    try {
      await callback();
    } finally {
      // If the connection is lost by now, the server has released the lock too.
      if (connection !== undefined) await call("pg_advisory_unlock", key);
    }
  };
  return {
    async hold() {
      if (connection !== undefined) return true;
      connection = await pool.connect();
      connection.on("error", onError);
      if (await call("pg_try_advisory_lock", keyOf(workerName))) return true;
      drop(connection);
      return false;
    },
    async whileDead(name, callback) {
      const key = keyOf(name);
      if (!(await call("pg_try_advisory_lock", key))) return false;
      await under(key, callback);
      return true;
    },
    async whileAlone(callback, signal) {
      while (!(await call("pg_try_advisory_lock", schema))) {
        await new Promise<void>((resolve) => void setTimeout(resolve, askAgainMs));
        signal?.throwIfAborted();
      }
      await under(schema, callback);
    },
    async close() {
      const at = connection;
      connection = undefined;
      if (at === undefined) return;
      at.off("error", onError);
      // Closed and not returned to the pool, because only the end of the connection certainly releases the lock.
      at.release(true);
    },
  };
}

function isTrue(row: unknown): boolean {
  return typeof row === "object" && row !== null && "answer" in row && row.answer === true;
}
