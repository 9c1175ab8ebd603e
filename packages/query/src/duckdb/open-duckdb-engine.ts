import { throwIfAborted, untilAborted } from "@ccl/core/async";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { QueryEngine } from "../connector/connector.ts";
import { QueryError } from "../query-error.ts";
import { openInstance, type Instance } from "./open-instance.ts";
import { loadDuckDb } from "./load-duckdb.ts";
import { runDuckDbSql } from "./run-duckdb-sql.ts";

/** Options for running DuckDB. */
export interface DuckDbEngineOptions {
  /** 2 by default. */
  threads?: number | undefined;
  /**
   * DuckDB's memory limit. A query that exceeds it fails. 512 by default. It applies to each instance, and each
   * null order has its own.
   */
  memoryMiB?: number | undefined;
}

/**
 * Opens an in-memory DuckDB as the engine for `runSql` and `executePlan`. It reads no files, loads no extensions
 * and keeps no data after a query.
 * @throws QueryError `engine_missing` if @duckdb/node-api is not installed, `invalid_options`
 */
export async function openDuckDbEngine(options: DuckDbEngineOptions = {}): Promise<QueryEngine> {
  const { threads = 2, memoryMiB = 512 } = options;
  for (const [name, value] of Object.entries({ threads, memoryMiB })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new QueryError("invalid_options", `${name} is a whole number from 1, not ${value}.`);
  }
  const duckdb = await loadDuckDb();
  let isOpen = true;
  /** Instances by null order, because the order applies to a whole instance. */
  const instances = new Map<string, Promise<Instance>>();
  const running = new Set<DuckDBConnection>();
  const instanceOf = (nullOrder: string): Promise<Instance> => {
    const known = instances.get(nullOrder);
    if (known !== undefined) return known;
    const opened = openInstance(duckdb, { threads, memoryMiB, nullOrder });
    instances.set(nullOrder, opened);
    opened.catch(() => instances.delete(nullOrder));
    return opened;
  };
  const connected = async (
    nullOrder: string,
    signal: AbortSignal | undefined,
  ): Promise<DuckDBConnection> => {
    if (!isOpen) throw new QueryError("closed", "The engine is closed; open another one.");
    throwIfAborted(signal, QueryError);
    const connecting = instanceOf(nullOrder).then((instance) => instance.connect());
    try {
      const connection = await untilAborted(connecting, signal, QueryError);
      running.add(connection);
      return connection;
    } catch (error) {
      // A statement that DuckDB cannot stop immediately blocks new connections, so an abort ends the wait.
      void connecting.then((late) => late.closeSync()).catch(() => {});
      throw error;
    }
  };
  const end = (connection: DuckDBConnection): void => {
    running.delete(connection);
    connection.closeSync();
  };
  return {
    name: "DuckDB",
    async runSql(work, options) {
      const connection = await connected(work.nullOrder, options.signal);
      return await runDuckDbSql({ duckdb, connection }, work, {
        ...options,
        end: () => end(connection),
      });
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      for (const connection of running) connection.interrupt();
      for (const opened of instances.values())
        await opened.then((instance) => instance.close()).catch(() => {});
    },
  };
}
