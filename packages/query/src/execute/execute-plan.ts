import { traced } from "@ccl/core/tracing";
import { throwIfAborted, untilAborted } from "@ccl/core/async";
import { systemClock, type Clock } from "@ccl/core";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { EngineInput, QueryEngine } from "../connector/connector.ts";
import { findConnector, type Connectors } from "../connector/find-connector.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { planScans, type PlanWork } from "../scans/plan-scans.ts";
import type { ValidLogicalPlan } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { discreetError } from "../validate/discreet-error.ts";
import { validPlan, type ValidateOptions } from "../validate/validate-logical-plan.ts";
import {
  limitsOf,
  metered,
  startDeadline,
  type Deadline,
  type ExecutionLimits,
} from "./execution-limits.ts";
import { sharedEngine } from "./shared-engine.ts";
import { engineInput, openScan, type ScanOptions } from "./open-scan.ts";
import { rowsOf, type PlanRow, type QueryResult, type QueryStatistics } from "./query-result.ts";

/** Options of `executePlan`. */
export interface ExecutePlanOptions extends ValidateOptions {
  connectors: Connectors;
  /**
   * The engine that runs the plan. By default, DuckDB is opened for each plan if it is installed. A plan that only
   * reads rows needs no engine.
   */
  engine?: QueryEngine | undefined;
  limits?: ExecutionLimits | undefined;
  signal?: AbortSignal | undefined;
  /** Maximum number of rows in a batch. 8,192 by default. */
  batchRows?: number | undefined;
  /** Provides the time of `now()` and measures durations. */
  clock?: Clock | undefined;
}

/**
 * Checks a plan and starts running it. Sources return the rows of its scans, filtered where possible, and DuckDB
 * runs the plan's SQL over them. The result never contains data that the principal may not see.
 * @throws QueryError `plan_invalid`, `connector_missing`, `aborted`, and while reading `engine_missing`,
 * `source_failed`, `engine_failed`, `value_invalid`, `limit_exceeded`
 */
export function executePlan(plan: LogicalPlan, options: ExecutePlanOptions): Promise<QueryResult> {
  return traced("query plan", {}, async () => {
    throwIfAborted(options.signal, QueryError);
    const clock = options.clock ?? systemClock;
    const valid = validPlan(plan, options, clock.now());
    const work = planScans(valid);
    for (const { resource } of work.scans) findConnector(options.connectors, resource);
    return createResult({ valid, work, options, clock });
  });
}

interface Execution {
  valid: ValidLogicalPlan;
  work: PlanWork;
  options: ExecutePlanOptions;
  clock: Clock;
}

function createResult(execution: Execution): QueryResult {
  const { valid, options, clock } = execution;
  const { columns } = valid;
  const statistics: QueryStatistics = { sources: [], rows: 0, bytes: 0, durationMs: 0 };
  const { timeoutMs, eachSource: _, ...limits } = limitsOf(options.limits);
  const what = "The query";
  const deadline = startDeadline(options.signal, { timeoutMs, what });
  const startMs = clock.now();
  async function* read(): AsyncGenerator<ColumnBatch, void> {
    try {
      const rows = run(execution, deadline, statistics);
      yield* metered(rows, { traffic: statistics, limits, what });
      const late = deadline.failure();
      if (late !== undefined) throw late;
    } catch (error) {
      throw deadline.failure() ?? discreetError(error, options);
    } finally {
      deadline.end();
      statistics.durationMs = clock.now() - startMs;
    }
  }
  const batches = read();
  return {
    columns,
    warnings: valid.warnings,
    batches,
    rows: () => rowsOf(batches, columns),
    async all() {
      const rows: PlanRow[] = [];
      for await (const row of rowsOf(batches, columns)) rows.push(row);
      return rows;
    },
    statistics: () => ({ ...statistics }),
    async close() {
      deadline.end();
      await batches.return();
    },
  };
}

async function* run(
  { valid, work, options, clock }: Execution,
  deadline: Deadline,
  statistics: QueryStatistics,
): AsyncGenerator<ColumnBatch, void> {
  const batchRows = options.batchRows ?? 8_192;
  const scanOptions: ScanOptions = {
    ...options,
    limits: options.limits,
    deadline,
    batchRows,
    clock,
    onEnd: (source) => statistics.sources.push(source),
  };
  const opened = work.scans.map((scan) => ({ scan, ...openScan(scan, scanOptions) }));
  const [first] = opened;
  const { direct } = work;
  if (direct !== undefined && first !== undefined && first.rule === undefined) {
    for await (const { rowCount, columns } of first.batches)
      if (rowCount > 0) yield { rowCount, columns: direct.map((index) => columns[index] ?? []) };
    return;
  }
  const inputs = opened.map(({ scan, ...rows }): EngineInput => {
    const nameOf = (index: number): string => scan.names[index] ?? `h${index}`;
    return engineInput(scan.table, scan.columns, { ...rows, nameOf });
  });
  const shared = sharedEngine(options.engine);
  try {
    const opening = shared.open("it does more than read rows of one source");
    const engine = await untilAborted(opening, deadline.signal, QueryError);
    statistics.engine = engine.name;
    const { text } = work;
    const { columns } = valid;
    const { batches } = await engine.runSql(
      { text, columns, macros: [[]], nullOrder: "NULLS_LAST", inputs },
      { signal: deadline.signal, batchRows },
    );
    yield* batches;
  } finally {
    await shared.close();
  }
}
