import { throwIfAborted } from "@ccl/core/async";
import type { ResourceDetails } from "@ccl/catalog";
import type { DuckDBConnection } from "@duckdb/node-api";
import { sql } from "kysely";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { Connector, PlanFragment, RunOptions } from "../connector/connector.ts";
import { lastPart } from "../connector/find-connector.ts";
import { allOperations } from "../plan/logical-plan.ts";
import { columnDataType, typeName, type DataType } from "../plan/data-type.ts";
import type { TypedScan, TypedStep } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { compileFragment, inputAliases } from "../sql/compile-fragment.ts";
import type { Sql } from "../sql/sql-dialect.ts";
import { duckDbDialect, duckDbTypeName } from "./duckdb-dialect.ts";
import { interruptOnAbort } from "./interrupt-on-abort.ts";
import { openInstance } from "./open-instance.ts";
import { loadDuckDb } from "./load-duckdb.ts";
import { engineError, streamQuery, type Session } from "./stream-query.ts";

/** Which Parquet files may be read, and with which resources. */
export interface ParquetConnectorOptions {
  /** The one folder that DuckDB may read. It follows links inside the folder. */
  folder: string;
  /** The file of a resource in the folder. By default the last part of its address. */
  fileOf?: ((resource: ResourceDetails) => string) | undefined;
  /** Used in messages. `Parquet` by default. */
  name?: string | undefined;
}

/** A connector that holds a database open. */
export interface ParquetConnector extends Connector {
  close(): Promise<void>;
}

/**
 * A connector over Parquet files through DuckDB. It takes every step and only reads the needed columns and row groups.
 * @throws QueryError `engine_missing` if @duckdb/node-api is not installed, `engine_failed`
 */
export async function openParquetConnector(
  options: ParquetConnectorOptions,
): Promise<ParquetConnector> {
  const { name = "Parquet" } = options;
  const duckdb = await loadDuckDb();
  const folder = options.folder.replace(/\/*$/, "/");
  let isOpen = true;
  const instance = await openInstance(
    duckdb,
    {},
    `SET TimeZone = 'UTC'; SET allowed_directories = [${literal(folder)}];`,
  );
  const pathOf = ({ resource }: TypedScan): string => folder + fileName(resource, options);
  return {
    name,
    operations: allOperations,
    describe: (fragment) => compile(fragment, pathOf).sql,
    async *run(fragment, run) {
      throwIfAborted(run.signal, QueryError);
      if (!isOpen) throw new QueryError("closed", "The connector is closed; open another one.");
      const connection = await instance.connect();
      const stopListening = interruptOnAbort(connection, run.signal);
      try {
        yield* runFragment({ duckdb, connection }, fragment, { run, name, pathOf });
      } catch (error) {
        throwIfAborted(run.signal, QueryError);
        throw engineError(error);
      } finally {
        stopListening();
        connection.closeSync();
      }
    },
    async close() {
      if (isOpen) instance.closeSync();
      isOpen = false;
    },
  };
}

async function* runFragment(
  session: Session,
  fragment: PlanFragment,
  { run, name, pathOf }: { run: RunOptions; name: string; pathOf: (scan: TypedScan) => string },
): AsyncGenerator<ColumnBatch, void> {
  for (const step of fragment.steps)
    if (step.op === "scan")
      await checkColumns(session.connection, step, { name, path: pathOf(step) });
  const query = compile(fragment, pathOf);
  for await (const batch of streamQuery(session, { ...query, columns: fragment.columns }, run))
    yield* split(batch, run.batchRows);
}

/** Splits a batch, since DuckDB sets the size of its chunks. */
function* split(batch: ColumnBatch, batchRows: number): Generator<ColumnBatch> {
  if (batch.rowCount <= batchRows) return yield batch;
  for (let at = 0; at < batch.rowCount; at += batchRows) {
    const columns = batch.columns.map((values) => values.slice(at, at + batchRows));
    yield { rowCount: Math.min(batchRows, batch.rowCount - at), columns };
  }
}

function compile(
  { steps, columns }: PlanFragment,
  pathOf: (scan: TypedScan) => string,
): ReturnType<typeof compileFragment> {
  const scans = steps.filter((step) => step.op === "scan");
  const inputs = new Map(
    scans.map((scan) => [scan.name, { table: tableOf(scan, pathOf(scan)), columns: scan.columns }]),
  );
  const others = steps.filter((step) => step.op !== "scan");
  return compileFragment(
    { steps: others.length > 0 ? others : scans.slice(0, 1).map(asProject), columns },
    { dialect: duckDbDialect, parameters: "numbered", tableOf: () => sql``, inputs },
  );
}

/** The file's rows with the aliases and types that the rest of the query expects. */
function tableOf({ columns }: TypedScan, path: string): Sql {
  const aliases = inputAliases(columns);
  const values = columns.map(
    ({ name, type }) =>
      sql`cast(${sql.id(name)} as ${sql.raw(duckDbTypeName(type))}) as ${sql.raw(aliases.get(name) ?? "")}`,
  );
  return sql`(select ${sql.join(values)} from read_parquet(${sql.raw(literal(path))}))`;
}

function asProject(scan: TypedScan): TypedStep {
  const { columns } = scan;
  return {
    op: "project",
    name: `${scan.name} `,
    from: scan.name,
    columns,
    values: columns.map((column) => ({ op: "column", ...column })),
  };
}

/** Checks that each column has its catalogued kind or one that fits into it, since a cast could round. */
async function checkColumns(
  connection: DuckDBConnection,
  { columns, resource }: TypedScan,
  { name, path }: { name: string; path: string },
): Promise<void> {
  const result = await connection.runAndReadAll(
    `DESCRIBE SELECT * FROM read_parquet(${literal(path)})`,
  );
  const stored = new Map(
    result.getRowsJson().map(([column, type]) => [String(column), String(type)]),
  );
  for (const { name: column, type } of columns) {
    const found = stored.get(column);
    if (found !== undefined && fits(columnDataType(found), type)) continue;
    const what = found === undefined ? "no column" : `a ${found.slice(0, 60)} for`;
    const message = `${name} has ${what} ${JSON.stringify(column)} in ${JSON.stringify(resource.id)}, where the catalog says ${typeName(type)}.`;
    throw new QueryError("value_invalid", message, { details: { column, type: typeName(type) } });
  }
}

function fits(stored: DataType, wanted: DataType): boolean {
  if (wanted.kind === "text" || stored.kind === wanted.kind)
    return stored.kind !== "decimal" || wanted.kind !== "decimal" || stored.scale <= wanted.scale;
  if (stored.kind === "int") return wanted.kind === "decimal" || wanted.kind === "float";
  return stored.kind === "date" && wanted.kind === "timestamp";
}

/** The name of one file, without globs and without a path out of the folder. */
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
    `${JSON.stringify(file.slice(0, 200))} is no file within the folder.`,
    {
      details: { resource: resource.id },
    },
  );
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
