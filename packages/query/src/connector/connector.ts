import type { ResourceDetails } from "@ccl/catalog";
import type { PlanColumn } from "../plan/typed-plan.ts";
import type { ColumnBatch } from "./column-batch.ts";
import type { SimpleCondition } from "./simple-condition.ts";

/** A request to read rows of one resource. */
export interface TableScan {
  /** Contains only columns that the principal may read. */
  resource: ResourceDetails;
  /** The columns of the batches, in order. */
  columns: PlanColumn[];
  /**
   * Every needed row meets all of these. A source may filter by them but does not have to. `=` and
   * `in` on a parameter of the resource supply its arguments.
   */
  conditions: SimpleCondition[];
}

/** How a scan or a statement runs. */
export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** Timeout for the source to enforce itself, if it can. */
  timeoutMs?: number | undefined;
  /** Maximum rows of a batch. */
  batchRows: number;
}

/**
 * A source of rows. It reads one resource at a time. DuckDB computes the rest, so a connector that
 * ignores conditions is slower but never wrong. A value that does not have its column's type fails
 * the query.
 */
export interface Connector {
  /** Used in messages and statistics. */
  readonly name: string;
  /** Yields the rows of a scan. Leaving the loop early or aborting stops the work at the source. */
  run(scan: TableScan, options: RunOptions): AsyncIterable<ColumnBatch>;
  /**
   * True if reading a resource a second time is cheap, which the doubts about a result need. Always
   * assumed of sources that run SQL.
   */
  readonly isLocal?: boolean | undefined;
  /** Set by sources that run SQL themselves. All others are loaded into DuckDB. */
  readonly sql?: SqlSource | undefined;
}

/** A column of a statement's result. */
export interface SqlColumn {
  name: string;
  /**
   * Such as `int`, `text` or `decimal`. Undefined if the source has no column types, like SQLite.
   */
  type?: string | undefined;
}

/** Rows of a statement. */
export interface SqlRows {
  /** Named as the source names them. */
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
  /** The schema and table names of a resource. */
  tableOf(resource: ResourceDetails): readonly string[];
  /**
   * Why this source must not run the statement, if its statements cannot be interrupted. Undefined
   * if it may run.
   */
  refusal(statement: ResolvedStatement, text: string): Promise<string | undefined>;
  run(statement: SqlStatement, options: RunOptions): Promise<SqlRows>;
}

/** Computes plans and statements over the rows that sources return. */
export interface QueryEngine {
  readonly name: string;
  /** Runs a statement over the inputs, each of which is a table. */
  runSql(work: EngineSql, options: RunOptions): Promise<SqlRows>;
  close(): Promise<void>;
}

/** Rows from a source. */
export interface EngineInput {
  /** The table's name in the statement. */
  name: string;
  columns: PlanColumn[];
  batches: AsyncIterable<ColumnBatch>;
  /**
   * The access rule as a SQL condition. Before the statement runs, the engine removes the rows that
   * fail it, and then all columns except these.
   */
  rule?: { where: string; columns: readonly string[] } | undefined;
}

/** A statement for an engine. */
export interface EngineSql {
  text: string;
  /**
   * Sets of macros for the statement's dialect. The engine creates the first set before it runs the
   * statement. If it rejects the statement, it tries the next set.
   */
  macros: readonly (readonly string[])[];
  /** Where nulls sort if ORDER BY does not say, as DuckDB's `default_null_order`. */
  nullOrder: string;
  inputs: EngineInput[];
  /**
   * The result's columns and the types to return them in. By default, the types that the engine
   * computes.
   */
  columns?: readonly PlanColumn[] | undefined;
}
