import { quoteIdentifier } from "@ccl/sql";
import { throwIfAborted, untilAborted } from "@ccl/core/async";
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { sql } from "kysely";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { EngineInput, EngineWork, QueryEngine, RunOptions } from "../connector/connector.ts";
import { QueryError } from "../query-error.ts";
import { compileFragment, inputAliases } from "../sql/compile-fragment.ts";
import { duckDbDialect, duckDbTypeName } from "./duckdb-dialect.ts";
import { duckDbEncoder, duckDbTypeOf, type DuckDbModule } from "./duckdb-values.ts";
import { interruptOnAbort } from "./interrupt-on-abort.ts";
import { openInstance, type InstanceSettings } from "./open-instance.ts";
import { loadDuckDb } from "./load-duckdb.ts";
import { runDuckDbSql } from "./run-duckdb-sql.ts";
import { engineError, streamQuery, type Session } from "./stream-query.ts";

/** How DuckDB runs. */
export interface DuckDbEngineOptions {
  /** 2 by default. */
  threads?: number | undefined;
  /** DuckDB's own memory limit, beyond which a query fails. 512 by default. Applies to each null order separately. */
  memoryMiB?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Maximum rows of a DuckDB chunk. */
const chunkRows = 2_048;

/**
 * In-memory DuckDB as the engine of `executePlan`. It reads no file, loads no extension and keeps no data after a query.
 * @throws QueryError `engine_missing` if @duckdb/node-api is not installed, `invalid_options`
 */
export async function openDuckDbEngine(options: DuckDbEngineOptions = {}): Promise<QueryEngine> {
  const { threads = 2, memoryMiB = 512, signal } = options;
  throwIfAborted(signal, QueryError);
  for (const [name, value] of Object.entries({ threads, memoryMiB })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new QueryError("invalid_options", `${name} is a whole number from 1, not ${value}.`);
  }
  const duckdb = await loadDuckDb();
  return createEngine(duckdb, { threads, memoryMiB });
}

function createEngine(duckdb: DuckDbModule, settings: InstanceSettings): QueryEngine {
  let isOpen = true;
  /** Instances by null order, which is a setting of the whole instance. */
  const instances = new Map<string, Promise<DuckDBInstance>>();
  const running = new Set<DuckDBConnection>();
  const instanceOf = (nullOrder: string): Promise<DuckDBInstance> => {
    const known = instances.get(nullOrder);
    if (known !== undefined) return known;
    const opened = openInstance(duckdb, { ...settings, nullOrder });
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
    async *run(work, options) {
      const connection = await connected("NULLS_LAST", options.signal);
      const stopListening = interruptOnAbort(connection, options.signal);
      try {
        for (const [index, input] of work.inputs.entries())
          await load({ duckdb, connection }, { input, table: `i${index}`, options });
        yield* read({ duckdb, connection }, work, options);
      } catch (error) {
        throwIfAborted(options.signal, QueryError);
        throw engineError(error);
      } finally {
        stopListening();
        end(connection);
      }
    },
    async runSql(work, options) {
      const connection = await connected(work.nullOrder, options.signal);
      return await runDuckDbSql({ duckdb, connection }, work, {
        ...options,
        end: () => end(connection),
        load: loadNamed,
      });
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      for (const connection of running) connection.interrupt();
      for (const opened of instances.values())
        await opened.then((instance) => instance.closeSync()).catch(() => {});
    },
  };
}

/** Loads an input under its columns' own names. */
function loadNamed(session: Session, input: EngineInput, options: RunOptions): Promise<void> {
  const names = new Map(input.columns.map(({ name }) => [name, quoteIdentifier(name)]));
  return load(session, { input, table: input.name, options, names });
}

/** Loads into temporary tables. They belong to the connection and are dropped with it. */
async function load(
  { duckdb, connection }: Session,
  {
    input,
    table,
    options,
    names = inputAliases(input.columns),
  }: {
    input: EngineInput;
    table: string;
    options: RunOptions;
    names?: ReadonlyMap<string, string> | undefined;
  },
): Promise<void> {
  const columns = input.columns.map(
    ({ name, type }) => `${names.get(name) ?? ""} ${duckDbTypeName(type)}`,
  );
  await connection.run(`CREATE TEMP TABLE ${table} (${columns.join(", ")})`);
  const types = input.columns.map(({ type }) => duckDbTypeOf(duckdb, type));
  const encoders = input.columns.map(({ type }) => duckDbEncoder(duckdb, type));
  const appender = await connection.createAppender(table, "main", "temp");
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
}

async function* read(
  { duckdb, connection }: Session,
  { steps, columns, inputs }: EngineWork,
  options: RunOptions,
): AsyncGenerator<ColumnBatch, void> {
  const tables = new Map(
    inputs.map((input, index) => [
      input.name,
      { table: sql.id(`i${index}`), columns: input.columns },
    ]),
  );
  const query = compileFragment(
    { steps, columns },
    { dialect: duckDbDialect, parameters: "numbered", tableOf: () => sql``, inputs: tables },
  );
  yield* streamQuery({ duckdb, connection }, { ...query, columns }, options);
}
