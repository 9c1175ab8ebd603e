import type { ResourceDetails } from "@ccl/catalog";
import type { PlanOperation } from "../plan/logical-plan.ts";
import type { PlanColumn, TypedStep } from "../plan/typed-plan.ts";
import type { ColumnBatch } from "./column-batch.ts";
import type { SqlRows, SqlStatement } from "../select/sql-rows.ts";
import type { SqlPlan } from "../select/parse-sql.ts";

/** A part of a plan for one source: steps in order, whose scans are all of that source. The last one is the output. */
export interface PlanFragment {
  steps: TypedStep[];
  /** The columns of the output that are needed, in order: some of the last step's. */
  columns: PlanColumn[];
}

/** How a fragment is run. */
export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** The source ends the query itself after this time, where it can. */
  timeoutMs?: number | undefined;
  /** Rows of a batch at most. */
  batchRows: number;
}

/**
 * A source of rows. It says what it can do and gets fragments of nothing else; what it cannot do runs elsewhere, so that
 * doing less is slower and never wrong. The semantics of every step are the package's, not the source's.
 */
export interface Connector {
  /** For messages and statistics. */
  readonly name: string;
  /** The operations that it takes; `scan` always. */
  readonly operations: ReadonlySet<PlanOperation>;
  /** False for a step that it can't do although it takes the operation, e.g. a function that it lacks. `resources` are those below. */
  takes?(step: TypedStep, resources: readonly ResourceDetails[]): boolean;
  /** What would be sent, for people to read. Never holds a literal of the plan. */
  describe?(fragment: PlanFragment): string;
  /** The rows of a fragment. Leaving the loop early, or aborting, ends the work at the source. */
  run(fragment: PlanFragment, options: RunOptions): AsyncIterable<ColumnBatch>;
  /** For sources that take SQL themselves; all others are loaded into DuckDB. */
  readonly sql?: SqlSource | undefined;
}

/** A source that runs statements. */
export interface SqlSource {
  readonly dialect: "postgresql" | "sqlite";
  /** Schema and table of a resource. */
  tableOf(resource: ResourceDetails): readonly string[];
  /** Undefined where the statement may run here; else why not, for a source that nothing can interrupt. */
  refusal(plan: SqlPlan, text: string): Promise<string | undefined>;
  run(statement: SqlStatement, options: RunOptions): Promise<SqlRows>;
}

/** What does the steps that no source takes. */
export interface QueryEngine {
  readonly name: string;
  /** Runs the steps over the inputs; an input stands for the step of its name. */
  run(work: EngineWork, options: RunOptions): AsyncIterable<ColumnBatch>;
  /** Runs a statement over tables of the inputs' names. */
  runSql(work: EngineSql, options: RunOptions): Promise<SqlRows>;
  close(): Promise<void>;
}

/** Steps for an engine, and the rows that they read. */
export interface EngineWork {
  steps: TypedStep[];
  columns: PlanColumn[];
  inputs: EngineInput[];
}

/** Rows that a source gave. */
export interface EngineInput {
  /** The step that they are of. */
  name: string;
  columns: PlanColumn[];
  batches: AsyncIterable<ColumnBatch>;
}

/** A statement for an engine. */
export interface EngineSql {
  text: string;
  /** What gives its words the meaning of its dialect, to run before it; the next where the engine does not take it so. */
  macros: readonly (readonly string[])[];
  /** Where nulls stand in an order that says nothing of them, as DuckDB's `default_null_order`. */
  nullOrder: string;
  inputs: EngineInput[];
}
