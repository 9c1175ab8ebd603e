import type { DuckDBResult, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import { throwIfAborted, untilAborted } from "@ccl/core/async";
import { quoteIdentifier } from "@ccl/sql";
import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import type { EngineInput, EngineSql, RunOptions, SqlRows } from "../connector/connector.ts";
import { columnDataType, type DataType } from "../plan/data-type.ts";
import { QueryError } from "../query-error.ts";
import { strictDecoder } from "../sql/batch-rows.ts";
import { duckDbTypeName } from "../sql/print-expression.ts";
import { postgresText } from "./postgres-text.ts";
import { duckDbDecoder, duckDbEncoder, type DuckDbModule } from "./duckdb-values.ts";
import { interruptOnAbort } from "./interrupt-on-abort.ts";
import { chunksOf, engineError, type Session } from "./result-chunks.ts";

/** Options for running a statement. `end` releases the connection once nothing runs on it. */
interface DuckDbRun extends RunOptions {
  end(): void;
}

/** Loads the inputs and runs the statement. An abort rejects immediately, even if DuckDB takes longer to stop. */
export async function runDuckDbSql(
  session: Session,
  work: Omit<EngineSql, "nullOrder">,
  options: DuckDbRun,
): Promise<SqlRows> {
  const { signal } = options;
  const stopListening = interruptOnAbort(session.connection, signal);
  let current: Promise<unknown> = Promise.resolve();
  let isEnded = false;
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    stopListening();
    options.end();
  };
  /** Closing the connection sooner would block until its statement ends. */
  const endLater = (): void => void current.then(end, end);
  const within = async <T>(action: Promise<T>): Promise<T> => {
    current = action;
    try {
      return await untilAborted(action, signal, QueryError);
    } catch (error) {
      throwIfAborted(signal, QueryError);
      throw engineError(error);
    }
  };
  try {
    for (const input of work.inputs) await within(load(session, input, options));
    const result = await within(start(session, work));
    return {
      columns: result.columnNames().map((name, index) => ({
        name,
        type: kindName(session.duckdb, result.columnType(index)),
      })),
      batches: batchesOf(session.duckdb, result, { ...work, within, endLater }),
    };
  } catch (error) {
    endLater();
    throw error;
  }
}

async function start(
  { connection }: Session,
  { text, macros }: Pick<EngineSql, "text" | "macros">,
): Promise<DuckDBResult> {
  let failure: unknown;
  for (const creations of macros) {
    try {
      if (creations.length > 0) await connection.run(creations.join("; "));
      return await connection.stream(text);
    } catch (error) {
      failure ??= error;
      const isUnbound = error instanceof Error && /^Binder Error|No function/.test(error.message);
      if (!isUnbound) break;
    }
  }
  throw failure;
}

async function* batchesOf(
  duckdb: DuckDbModule,
  result: DuckDBResult,
  {
    within,
    endLater,
    columns,
    isPostgresText,
  }: Pick<EngineSql, "columns" | "isPostgresText"> & {
    within: <T>(action: Promise<T>) => Promise<T>;
    endLater: () => void;
  },
): AsyncGenerator<ColumnBatch, void> {
  const decoders =
    columns?.map((column) => strictDecoder("DuckDB", column, duckDbDecoder(duckdb, column.type))) ??
    result.columnTypes().map((type) => decoderOf(duckdb, type, isPostgresText));
  try {
    yield* chunksOf(() => within(result.fetchChunk()), decoders);
  } finally {
    endLater();
  }
}

function kindName(duckdb: DuckDbModule, type: DuckDBType): string {
  return kindOf(duckdb, type)?.kind ?? type.toString().toLowerCase();
}

function kindOf({ DuckDBTypeId: id }: DuckDbModule, type: DuckDBType): DataType | undefined {
  const name = id[type.typeId];
  const known = columnDataType(name);
  return known.kind === "text" && name !== "VARCHAR" ? undefined : known;
}

function decoderOf(
  duckdb: DuckDbModule,
  type: DuckDBType,
  isPostgresText = false,
): (value: DuckDBValue) => PlanValue {
  const known = kindOf(duckdb, type);
  if (known === undefined) return isPostgresText ? (value) => postgresText(duckdb, value) : String;
  const decode = duckDbDecoder(duckdb, known);
  return (value) => decode(value) ?? String(value);
}

/** Maximum number of rows in a DuckDB chunk. */
const chunkRows = 2_048;

/** Loads an input into a temporary table, which DuckDB drops when the connection closes. */
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
