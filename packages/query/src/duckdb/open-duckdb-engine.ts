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
import { loadDuckDb } from "./load-duckdb.ts";
import { runDuckDbSql } from "./run-duckdb-sql.ts";
import { engineError, streamQuery, type Session } from "./stream-query.ts";

/** How DuckDB is run. */
export interface DuckDbEngineOptions {
  /** 2 by default. */
  threads?: number | undefined;
  /** DuckDB's own limit, beyond which a query fails. 512 by default. */
  memoryMiB?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Most rows of a chunk of DuckDB. */
const chunkRows = 2_048;

/**
 * DuckDB in memory as the engine of `executePlan`. It reads no file, loads no extension and keeps nothing between queries.
 * @throws QueryError `engine_missing` where @duckdb/node-api is not installed, `invalid_options`
 */
export async function openDuckDbEngine(options: DuckDbEngineOptions = {}): Promise<QueryEngine> {
  const { threads = 2, memoryMiB = 512, signal } = options;
  throwIfAborted(signal, QueryError);
  for (const [name, value] of Object.entries({ threads, memoryMiB })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new QueryError("invalid_options", `${name} is a whole number from 1, not ${value}.`);
  }
  const duckdb = await loadDuckDb();
  const instance = await duckdb.DuckDBInstance.create(":memory:", {
    threads: String(threads),
    memory_limit: `${memoryMiB}MiB`,
  });
  try {
    await secure(instance);
  } catch (error) {
    instance.closeSync();
    throw engineError(error);
  }
  return createEngine(duckdb, instance);
}

async function secure(instance: DuckDBInstance): Promise<void> {
  const connection = await instance.connect();
  try {
    await connection.run("SET temp_directory = ''");
    // Read by SQL that users write; what plans are compiled to divides floats only.
    await connection.run("SET GLOBAL integer_division = true");
    await connection.run(
      "SET autoinstall_known_extensions = false; SET autoload_known_extensions = false",
    );
    await connection.run("SET enable_external_access = false; SET lock_configuration = true");
  } finally {
    connection.closeSync();
  }
}

function createEngine(duckdb: DuckDbModule, instance: DuckDBInstance): QueryEngine {
  let isOpen = true;
  const running = new Set<DuckDBConnection>();
  return {
    name: "DuckDB",
    async *run(work, options) {
      if (!isOpen) throw new QueryError("closed", "The engine is closed; open another one.");
      throwIfAborted(options.signal, QueryError);
      const connection = await instance.connect();
      running.add(connection);
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
        running.delete(connection);
        connection.closeSync();
      }
    },
    async runSql(work, options) {
      if (!isOpen) throw new QueryError("closed", "The engine is closed; open another one.");
      throwIfAborted(options.signal, QueryError);
      const connection = await connected(instance, options.signal);
      running.add(connection);
      const end = (): void => {
        running.delete(connection);
        connection.closeSync();
      };
      return await runDuckDbSql({ duckdb, connection }, work, { ...options, end, load: loadNamed });
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      for (const connection of running) connection.interrupt();
      instance.closeSync();
    },
  };
}

/** Statements that DuckDB can't stop at once keep others from connecting: an abort ends the wait. */
async function connected(
  instance: DuckDBInstance,
  signal: AbortSignal | undefined,
): Promise<DuckDBConnection> {
  const connecting = instance.connect();
  try {
    return await untilAborted(connecting, signal, QueryError);
  } catch (error) {
    void connecting.then((late) => late.closeSync()).catch(() => {});
    throw error;
  }
}

/** Under the columns' own names. */
function loadNamed(session: Session, input: EngineInput, options: RunOptions): Promise<void> {
  const names = new Map(input.columns.map(({ name }) => [name, quoteIdentifier(name)]));
  return load(session, { input, table: input.name, options, names });
}

/** Temporary tables are the connection's own, and go with it. */
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
