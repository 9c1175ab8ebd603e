import type { ResourceDetails } from "@ccl/catalog";
import type { PlanColumn } from "../plan/typed-plan.ts";
import type { ColumnBatch } from "./column-batch.ts";
import type { SimpleCondition } from "./simple-condition.ts";

/** A request to read rows from one resource. */
export interface TableScan {
  /** Contains only columns that the principal may read. */
  resource: ResourceDetails;
  /** Columns of the batches, in order. */
  columns: PlanColumn[];
  /**
   * Every needed row meets all of these conditions. A source may apply them but does not have to. `=` and `in` on
   * a parameter of the resource provide its arguments.
   */
  conditions: SimpleCondition[];
}

/** How a scan or a statement runs. */
export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** Timeout that the source should enforce itself if it can. */
  timeoutMs?: number | undefined;
  /** Maximum number of rows in a batch. */
  batchRows: number;
}

/**
 * A source of rows. It reads one resource at a time. DuckDB computes everything else, so a connector that ignores
 * conditions is slower but still correct. A value that does not match its column's type fails the query.
 */
export interface Connector {
  /** Used in messages and statistics. */
  readonly name: string;
  /** Yields the rows of a scan. Leaving the loop early or aborting stops the work at the source. */
  run(scan: TableScan, options: RunOptions): AsyncIterable<ColumnBatch>;
  /**
   * True if reading a resource again is cheap, as checking a result for doubts requires. Sources that run SQL are
   * assumed to be cheap.
   */
  readonly isLocal?: boolean | undefined;
  /** Set if the source can run SQL itself. Rows from other sources are loaded into DuckDB. */
  readonly sql?: SqlSource | undefined;
}

/** A column in a statement's result. */
export interface SqlColumn {
  name: string;
  /** For example, `int`, `text` or `decimal`. Undefined if the source has no column types, as in SQLite. */
  type?: string | undefined;
}

/** The result of a statement. */
export interface SqlRows {
  /** Columns under the source's names. */
  columns: SqlColumn[];
  batches: AsyncIterable<ColumnBatch>;
}

/** A statement to run at a source. */
export interface SqlStatement {
  text: string;
  /** Names of the result columns, in order. */
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
  /** Returns the schema and table names of a resource. */
  tableOf(resource: ResourceDetails): readonly string[];
  /**
   * Returns why this source must not run the statement, if its statements cannot be interrupted. Returns undefined
   * if it may run.
   */
  refusal(statement: ResolvedStatement, text: string): Promise<string | undefined>;
  run(statement: SqlStatement, options: RunOptions): Promise<SqlRows>;
}

/** Runs plans and statements over rows that sources return. */
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
   * The access rule as a SQL condition. Before running the statement, the engine removes rows that fail the rule,
   * and then all columns except `columns`.
   */
  rule?: { where: string; columns: readonly string[] } | undefined;
}

/** A statement to run in an engine. */
export interface EngineSql {
  text: string;
  /**
   * Sets of macros for the statement's dialect. The engine creates the first set before running the statement. If
   * the statement is rejected, it tries the next set.
   */
  macros: readonly (readonly string[])[];
  /** How to sort nulls if ORDER BY does not specify it, as in DuckDB's `default_null_order`. */
  nullOrder: string;
  /** True if intervals and arrays are returned in PostgreSQL's text. */
  isPostgresText?: boolean | undefined;
  inputs: EngineInput[];
  /** The result's columns, with the types to return. Defaults to the types that the engine computes. */
  columns?: readonly PlanColumn[] | undefined;
}
