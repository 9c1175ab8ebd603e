import type { ResourceDetails } from "@ccl/catalog";
import type { PlanOperation } from "../plan/logical-plan.ts";
import type { PlanColumn, TypedStep } from "../plan/typed-plan.ts";
import type { ColumnBatch } from "./column-batch.ts";
import type { SqlRows, SqlStatement } from "../select/sql-rows.ts";
import type { SqlPlan } from "../select/parse-sql.ts";

/** A part of a plan for one source: steps in order, whose scans all read that source. The last step is the output. */
export interface PlanFragment {
  steps: TypedStep[];
  /** The columns of the last step that are needed, in order. */
  columns: PlanColumn[];
}

/** How a fragment runs. */
export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** The source itself ends the query after this time, if it can. */
  timeoutMs?: number | undefined;
  /** Maximum rows of a batch. */
  batchRows: number;
}

/**
 * A source of rows. It declares what it can do and gets only such fragments. The engine does the rest, so doing less is
 * slower but never wrong. The package, not the source, defines the meaning of every step.
 */
export interface Connector {
  /** Used in messages and statistics. */
  readonly name: string;
  /** The operations that the source can do. Always includes `scan`. */
  readonly operations: ReadonlySet<PlanOperation>;
  /** False for a step that it cannot do, e.g. for a missing function. `resources` are those that the step reads. */
  takes?(step: TypedStep, resources: readonly ResourceDetails[]): boolean;
  /** The request that would be sent, for people to read. Never contains a literal of the plan. */
  describe?(fragment: PlanFragment): string;
  /** The rows of a fragment. Leaving the loop early, or aborting, ends the work at the source. */
  run(fragment: PlanFragment, options: RunOptions): AsyncIterable<ColumnBatch>;
  /** Set by sources that run SQL themselves. All others are loaded into DuckDB. */
  readonly sql?: SqlSource | undefined;
}

/** A source that runs SQL statements. */
export interface SqlSource {
  readonly dialect: "postgresql" | "sqlite";
  /** Schema and table of a resource. */
  tableOf(resource: ResourceDetails): readonly string[];
  /** Why the statement may not run here, for a source whose statements cannot be interrupted. Undefined if it may. */
  refusal(plan: SqlPlan, text: string): Promise<string | undefined>;
  run(statement: SqlStatement, options: RunOptions): Promise<SqlRows>;
}

/** Runs the steps that no source can do. */
export interface QueryEngine {
  readonly name: string;
  /** Runs the steps over the inputs. An input replaces the step of its name. */
  run(work: EngineWork, options: RunOptions): AsyncIterable<ColumnBatch>;
  /** Runs a statement over tables that have the inputs' names. */
  runSql(work: EngineSql, options: RunOptions): Promise<SqlRows>;
  close(): Promise<void>;
}

/** Steps for an engine and the rows that they read. */
export interface EngineWork {
  steps: TypedStep[];
  columns: PlanColumn[];
  inputs: EngineInput[];
}

/** Rows from a source. */
export interface EngineInput {
  /** The step that produced the rows. */
  name: string;
  columns: PlanColumn[];
  batches: AsyncIterable<ColumnBatch>;
}

/** A statement for an engine. */
export interface EngineSql {
  text: string;
  /** Macros for the statement's dialect, run before it. If the engine rejects the statement, it tries the next set. */
  macros: readonly (readonly string[])[];
  /** Where nulls sort if ORDER BY does not say, as DuckDB's `default_null_order`. */
  nullOrder: string;
  inputs: EngineInput[];
}
