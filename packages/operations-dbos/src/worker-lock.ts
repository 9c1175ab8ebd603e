import type { PostgresConnection, PostgresPool } from "./dbos-sdk.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";

/**
 * Tells living workers from dead ones. Each holds an advisory lock under its name on a connection that is its alone; the
 * server frees it with the connection, so that a lock that can be had belongs to nobody.
 */
export interface WorkerLock {
  /** Takes the lock, again where the connection was lost. False: another process has it. */
  hold(): Promise<boolean>;
  /** Calls back under the lock of a worker that is dead; false where it lives. */
  whileDead(workerName: string, callback: () => Promise<void>): Promise<boolean>;
  close(): Promise<void>;
}

/** The lock of one worker. Names are told apart by `scope`, such as the schema of DBOS. */
export function createWorkerLock(options: { pool: PostgresPool; scope: string; workerName: string }): WorkerLock {
  const { pool, scope, workerName } = options;
  let connection: PostgresConnection | undefined;
  const onError = (): void => drop(connection);
  const drop = (lost: PostgresConnection | undefined): void => {
    if (lost === undefined || lost !== connection) return;
    connection = undefined;
    lost.release(true);
  };
  const call = async (statement: "pg_try_advisory_lock" | "pg_advisory_unlock", name: string): Promise<boolean> => {
    const at = connection;
    if (at === undefined) throw new OperationsDbosError("database_failed", "The worker's connection is lost.");
    try {
      const { rows } = await at.query(`SELECT ${statement}(hashtextextended($1, 0)) AS answer`, [`${scope}/${name}`]);
      return isTrue(rows[0]);
    } catch (error) {
      drop(at);
      throw new OperationsDbosError("database_failed", "PostgreSQL refused an advisory lock.", { cause: error });
    }
  };
  return {
    async hold() {
      if (connection !== undefined) return true;
      connection = await pool.connect();
      connection.on("error", onError);
      if (await call("pg_try_advisory_lock", workerName)) return true;
      drop(connection);
      return false;
    },
    async whileDead(name, callback) {
      if (!(await call("pg_try_advisory_lock", name))) return false;
      try {
        await callback();
      } finally {
        // A connection that is lost by now has freed the lock as well.
        if (connection !== undefined) await call("pg_advisory_unlock", name);
      }
      return true;
    },
    async close() {
      const at = connection;
      connection = undefined;
      if (at === undefined) return;
      at.off("error", onError);
      // Closed rather than given back: only the end of the connection frees the lock for certain.
      at.release(true);
    },
  };
}

function isTrue(row: unknown): boolean {
  return typeof row === "object" && row !== null && "answer" in row && row.answer === true;
}
