import type { DuckDBResult, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import { throwIfAborted, untilAborted } from "@ccl/core/async";
import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import type { EngineInput, EngineSql, RunOptions, SqlRows } from "../connector/connector.ts";
import { columnDataType, type DataType } from "../plan/data-type.ts";
import { QueryError } from "../query-error.ts";
import { duckDbDecoder, type DuckDbModule } from "./duckdb-values.ts";
import { interruptOnAbort } from "./interrupt-on-abort.ts";
import { chunksOf, engineError, strictDecoder, type Session } from "./stream-query.ts";

/** How a statement runs. `end` releases the connection once nothing runs on it. */
interface DuckDbRun extends RunOptions {
  load(session: Session, input: EngineInput, options: RunOptions): Promise<void>;
  end(): void;
}

/** Loads the inputs and runs the statement. An abort rejects immediately, even if DuckDB takes longer to stop. */
export async function runDuckDbSql(
  session: Session,
  work: EngineSql,
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
  /** Closing the connection earlier would block until its statement ends. */
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
    for (const input of work.inputs) await within(options.load(session, input, options));
    const result = await within(start(session, work));
    return {
      columns: result.columnNames().map((name, index) => ({
        name,
        type: kindName(session.duckdb, result.columnType(index)),
      })),
      batches: batchesOf(session.duckdb, result, { within, endLater, columns: work.columns }),
    };
  } catch (error) {
    endLater();
    throw error;
  }
}

async function start({ connection }: Session, { text, macros }: EngineSql): Promise<DuckDBResult> {
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
  }: {
    within: <T>(action: Promise<T>) => Promise<T>;
    endLater: () => void;
    columns: EngineSql["columns"];
  },
): AsyncGenerator<ColumnBatch, void> {
  const decoders =
    columns?.map((column) => strictDecoder(duckdb, column)) ??
    result.columnTypes().map((type) => decoderOf(duckdb, type));
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

function decoderOf(duckdb: DuckDbModule, type: DuckDBType): (value: DuckDBValue) => PlanValue {
  const known = kindOf(duckdb, type);
  if (known === undefined) return String;
  const decode = duckDbDecoder(duckdb, known);
  return (value) => decode(value) ?? String(value);
}
