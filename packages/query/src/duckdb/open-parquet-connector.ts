import { throwIfAborted } from "@ccl/core/async";
import type { ResourceDetails } from "@ccl/catalog";
import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteIdentifier } from "@ccl/sql";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { Connector, TableScan } from "../connector/connector.ts";
import { lastPart } from "../connector/find-connector.ts";
import { columnDataType, typeName, type DataType } from "../plan/data-type.ts";
import { QueryError } from "../query-error.ts";
import { duckDbTypeName, printCondition, quoteText } from "../sql/print-expression.ts";
import { openInstance } from "./open-instance.ts";
import { loadDuckDb } from "./load-duckdb.ts";
import { engineError } from "./result-chunks.ts";
import { runDuckDbSql } from "./run-duckdb-sql.ts";

/** Options for reading Parquet files. */
export interface ParquetConnectorOptions {
  /** The only folder that DuckDB may read. It follows links inside the folder. */
  folder: string;
  /** Returns a resource's file in the folder. Defaults to the last part of its address. */
  fileOf?: ((resource: ResourceDetails) => string) | undefined;
}

/** A connector that keeps a database open. */
export interface ParquetConnector extends Connector {
  close(): Promise<void>;
}

/**
 * Opens a connector that reads Parquet files through DuckDB. It reads only the needed columns and row groups.
 * @throws QueryError `engine_missing` if @duckdb/node-api is not installed, `engine_failed`
 */
export async function openParquetConnector(
  options: ParquetConnectorOptions,
): Promise<ParquetConnector> {
  const duckdb = await loadDuckDb();
  const folder = options.folder.replace(/\/*$/, "/");
  let isOpen = true;
  const instance = await openInstance(
    duckdb,
    {},
    `SET allowed_directories = [${quoteText(folder)}];`,
  );
  return {
    name: "Parquet",
    isLocal: true,
    async *run(scan, run) {
      throwIfAborted(run.signal, QueryError);
      if (!isOpen) throw new QueryError("closed", "The connector is closed; open another one.");
      const path = folder + fileName(scan.resource, options);
      const connection = await instance.connect();
      try {
        await checkColumns(connection, scan, path);
      } catch (error) {
        connection.closeSync();
        throw engineError(error);
      }
      const work = { text: scanText(scan, path), columns: scan.columns, macros: [[]], inputs: [] };
      const end = (): void => connection.closeSync();
      const { batches } = await runDuckDbSql({ duckdb, connection }, work, { ...run, end });
      for await (const batch of batches) yield* split(batch, run.batchRows);
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await instance.close();
    },
  };
}

function scanText({ columns, conditions }: TableScan, path: string): string {
  const values = columns.map(
    (column) => `cast(${quoteIdentifier(column.name)} as ${duckDbTypeName(column.type)})`,
  );
  const where = ["true", ...conditions.map(printCondition)].join(" and ");
  return `select ${values.join(", ")} from read_parquet(${quoteText(path)}) where ${where}`;
}

/** Splits a batch, because DuckDB determines its own chunk size. */
function* split(batch: ColumnBatch, batchRows: number): Generator<ColumnBatch> {
  if (batch.rowCount <= batchRows) return yield batch;
  for (let at = 0; at < batch.rowCount; at += batchRows) {
    const columns = batch.columns.map((values) => values.slice(at, at + batchRows));
    yield { rowCount: Math.min(batchRows, batch.rowCount - at), columns };
  }
}

/** Checks that each column has its catalogued kind or one that fits in it, because a cast could round. */
async function checkColumns(
  connection: DuckDBConnection,
  { columns, resource }: TableScan,
  path: string,
): Promise<void> {
  const result = await connection.runAndReadAll(
    `DESCRIBE SELECT * FROM read_parquet(${quoteText(path)})`,
  );
  const stored = new Map(
    result.getRowsJson().map(([column, type]) => [String(column), String(type)]),
  );
  for (const { name: column, type } of columns) {
    const found = stored.get(column);
    if (found !== undefined && fits(columnDataType(found), type)) continue;
    const what = found === undefined ? "no column" : `a ${found.slice(0, 60)} for`;
    const message = `Parquet has ${what} ${JSON.stringify(column)} in ${JSON.stringify(resource.id)}, where the catalog says ${typeName(type)}.`;
    throw new QueryError("value_invalid", message, { details: { column, type: typeName(type) } });
  }
}

function fits(stored: DataType, wanted: DataType): boolean {
  if (wanted.kind === "text" || stored.kind === wanted.kind)
    return stored.kind !== "decimal" || wanted.kind !== "decimal" || stored.scale <= wanted.scale;
  if (stored.kind === "int") return wanted.kind === "decimal" || wanted.kind === "float";
  return stored.kind === "date" && wanted.kind === "timestamp";
}

/** Returns the name of one file. Rejects globs and paths that leave the folder. */
function fileName(resource: ResourceDetails, { fileOf }: ParquetConnectorOptions): string {
  const file = fileOf?.(resource) ?? lastPart(resource, "/");
  const isPlain =
    file !== "" &&
    !/[*?[\]{}\p{Cc}]/u.test(file) &&
    !file.startsWith("/") &&
    !file.split(/[/\\]/).includes("..");
  if (isPlain) return file;
  throw new QueryError(
    "source_failed",
    `${JSON.stringify(file.slice(0, 200))} is not a file within the folder.`,
    {
      details: { resource: resource.id },
    },
  );
}
