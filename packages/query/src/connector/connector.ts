import type { ResourceDetails } from "@ccl/catalog";
import type { PlanColumn } from "../plan/typed-plan.ts";
import type { ColumnBatch } from "./column-batch.ts";
import type { SimpleCondition } from "./simple-condition.ts";

/** Rows of one resource to read. */
export interface TableScan {
  /** Only has columns that may be read. */
  resource: ResourceDetails;
  /** The columns of the batches, in order. */
  columns: PlanColumn[];
  /**
   * The needed rows meet all of them. A source may leave out other rows but does not have to. `=` and `in` on a parameter
   * of the resource give its arguments.
   */
  conditions: SimpleCondition[];
}

/** How a scan or a statement runs. */
export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** The source itself ends the query after this time, if it can. */
  timeoutMs?: number | undefined;
  /** Maximum rows of a batch. */
  batchRows: number;
}

/**
 * A source of rows. It reads one resource at a time and computes nothing. DuckDB does the rest, so leaving conditions
 * aside is slower but never wrong. A value that is not of its column's type fails the query.
 */
export interface Connector {
  /** Used in messages and statistics. */
  readonly name: string;
  /** The rows of a scan. Leaving the loop early, or aborting, ends the work at the source. */
  run(scan: TableScan, options: RunOptions): AsyncIterable<ColumnBatch>;
  /** True if reading a resource again costs little: the doubts about a result read it. Assumed of sources that run SQL. */
  readonly isLocal?: boolean | undefined;
  /** Set by sources that run SQL themselves. All others are loaded into DuckDB. */
  readonly sql?: SqlSource | undefined;
}

/** A column of a statement's result. */
export interface SqlColumn {
  name: string;
  /** Like `int`, `text`, `decimal`. Undefined if the source has no types, as SQLite. */
  type?: string | undefined;
}

/** Rows of a statement. */
export interface SqlRows {
  /** With the source's own names. */
  columns: SqlColumn[];
  batches: AsyncIterable<ColumnBatch>;
}

/** A statement for a source. */
export interface SqlStatement {
  text: string;
  /** Names of its columns, in order. */
  columns: readonly string[];
}

/** What a checked statement reads and calls. */
export interface ResolvedStatement {
  tables: readonly { resource: ResourceDetails }[];
  functions: readonly { name: string }[];
  isRecursive: boolean;
}

/** A source that runs SQL statements. */
export interface SqlSource {
  readonly dialect: "postgresql" | "sqlite";
  /** Schema and table of a resource. */
  tableOf(resource: ResourceDetails): readonly string[];
  /** Why the statement may not run here, for a source whose statements cannot be interrupted. Undefined if it may. */
  refusal(statement: ResolvedStatement, text: string): Promise<string | undefined>;
  run(statement: SqlStatement, options: RunOptions): Promise<SqlRows>;
}

/** Runs what plans and statements compute over the rows of sources. */
export interface QueryEngine {
  readonly name: string;
  /** Runs a statement over tables that have the inputs' names. */
  runSql(work: EngineSql, options: RunOptions): Promise<SqlRows>;
  close(): Promise<void>;
}

/** Rows from a source. */
export interface EngineInput {
  /** The table that the statement names. */
  name: string;
  columns: PlanColumn[];
  batches: AsyncIterable<ColumnBatch>;
  /** A condition as SQL. Rows that fail it are removed, and then all columns but these, before the statement runs. */
  rule?: { where: string; columns: readonly string[] } | undefined;
}

/** A statement for an engine. */
export interface EngineSql {
  text: string;
  /** Macros for the statement's dialect, run before it. If the engine rejects the statement, it tries the next set. */
  macros: readonly (readonly string[])[];
  /** Where nulls sort if ORDER BY does not say, as DuckDB's `default_null_order`. */
  nullOrder: string;
  inputs: EngineInput[];
  /** The result's columns with the types to return them in. By default as the engine computes them. */
  columns?: readonly PlanColumn[] | undefined;
}
