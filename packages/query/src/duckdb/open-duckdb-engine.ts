import { quoteIdentifier } from "@ccl/sql";
import { throwIfAborted, untilAborted } from "@ccl/core/async";
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { EngineInput, QueryEngine, RunOptions } from "../connector/connector.ts";
import { QueryError } from "../query-error.ts";
import { duckDbTypeName } from "../sql/print-expression.ts";
import { duckDbEncoder } from "./duckdb-values.ts";
import { openInstance, type Instance } from "./open-instance.ts";
import { loadDuckDb } from "./load-duckdb.ts";
import { runDuckDbSql } from "./run-duckdb-sql.ts";
import type { Session } from "./stream-query.ts";

/** How DuckDB runs. */
export interface DuckDbEngineOptions {
  /** 2 by default. */
  threads?: number | undefined;
  /**
   * DuckDB's memory limit. A query that exceeds it fails. 512 by default. Each null order has its
   * own instance, and the limit applies to each.
   */
  memoryMiB?: number | undefined;
}

/** Maximum rows of a DuckDB chunk. */
const chunkRows = 2_048;

/**
 * Opens in-memory DuckDB as the engine of `runSql` and `executePlan`. It reads no files, loads no
 * extensions and keeps no data after a query.
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
  /** Instances by null order, which is a setting of the whole instance. */
  const instances = new Map<string, Promise<Instance>>();
  const running = new Set<DuckDBConnection>();
  const instanceOf = (nullOrder: string): Promise<Instance> => {
    const known = instances.get(nullOrder);
    if (known !== undefined) return known;
    const opened = openInstance(duckdb, { threads, memoryMiB, nullOrder });
    instances.set(nullOrder, opened);
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
        load,
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

/** Loads an input into a temporary table, which is dropped when the connection closes. */
async function load(
  { duckdb, connection }: Session,
  input: EngineInput,
  options: RunOptions,
): Promise<void> {
  const { name, rule } = input;
  const table = rule === undefined ? name : `${name}_all`;
  const columns = input.columns.map(
    (column) => `${quoteIdentifier(column.name)} ${duckDbTypeName(column.type)}`,
  );
  await connection.run(`CREATE TEMP TABLE ${table} (${columns.join(", ")})`);
  const encoders = input.columns.map(({ type }) => duckDbEncoder(duckdb, type));
  const appender = await connection.createAppender(table, "main", "temp");
  const types = input.columns.map((_, index) => appender.columnType(index));
  try {
    for await (const batch of input.batches) {
      throwIfAborted(options.signal, QueryError);
      for (let at = 0; at < batch.rowCount; at += chunkRows) {
        const end = Math.min(batch.rowCount, at + chunkRows);
        const values = encoders.map((encode, index): DuckDBValue[] =>
          (batch.columns[index] ?? []).slice(at, end).map(encode),
        );
        const chunk = duckdb.DuckDBDataChunk.create(types, end - at);
        chunk.setColumns(values);
        appender.appendDataChunk(chunk);
      }
      appender.flushSync();
    }
  } finally {
    appender.closeSync();
  }
  if (rule === undefined) return;
  // The visible rows get a separate table, so that the statement never computes over hidden rows.
  const kept = rule.columns.map(quoteIdentifier).join(", ");
  await connection.run(
    `CREATE TEMP TABLE ${name} AS SELECT ${kept} FROM ${table} WHERE ${rule.where}; DROP TABLE ${table}`,
  );
}
