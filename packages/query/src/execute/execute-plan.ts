import { traced } from "@ccl/core/tracing";
import { throwIfAborted } from "@ccl/core/async";
import { systemClock, type Clock } from "@ccl/core";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { QueryEngine } from "../connector/connector.ts";
import { findConnector, type Connectors } from "../connector/find-connector.ts";
import { planPhysical, type PhysicalPlan, type PlacedFragment } from "../physical/plan-physical.ts";
import { shownName } from "../physical/derived-name.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
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
  type Traffic,
} from "./execution-limits.ts";
import {
  rowsOf,
  type PlanRow,
  type QueryResult,
  type QueryStatistics,
  type SourceStatistics,
} from "./query-result.ts";
import { resolveNow } from "./resolve-now.ts";

/** What a plan runs with. */
export interface ExecutePlanOptions extends Omit<ValidateOptions, "limits"> {
  connectors: Connectors;
  /** Runs steps that no source takes: `openDuckDbEngine` of `./duckdb`. Unused if the sources take all. */
  engine?: QueryEngine | undefined;
  limits?: (ExecutionLimits & NonNullable<ValidateOptions["limits"]>) | undefined;
  signal?: AbortSignal | undefined;
  /** Maximum rows of a batch. 8,192 by default. */
  batchRows?: number | undefined;
  /** `none`: sources only scan, for comparison. `full` by default. */
  pushdown?: "full" | "none" | undefined;
  /** Provides the time of `now()` and measures durations. */
  clock?: Clock | undefined;
}

/**
 * Checks a plan, assigns its steps and starts it. Rows stream as they are read. Sources are never asked for what the
 * principal may not see.
 * @throws QueryError `plan_invalid`, `connector_missing`, `engine_missing`, `aborted`, and while reading `source_failed`,
 * `engine_failed`, `value_invalid`, `limit_exceeded`
 */
export function executePlan(plan: LogicalPlan, options: ExecutePlanOptions): Promise<QueryResult> {
  return traced("query plan", {}, () => execute(plan, options));
}

async function execute(plan: LogicalPlan, options: ExecutePlanOptions): Promise<QueryResult> {
  throwIfAborted(options.signal, QueryError);
  const clock = options.clock ?? systemClock;
  const valid = resolveNow(validPlan(plan, options), clock.now());
  const physical = planPhysical(valid, {
    connectorOf: (resource) => findConnector(options.connectors, resource),
    pushdown: options.pushdown ?? "full",
  });
  if (physical.engine !== undefined && options.engine === undefined) {
    const steps = physical.engine.steps.map(({ name }) => shownName(name));
    const message = `No source takes ${steps.map((name) => JSON.stringify(name)).join(", ")}; give an engine (openDuckDbEngine of @ccl/query/duckdb).`;
    throw new QueryError("engine_missing", message, { details: { steps } });
  }
  return createResult({ valid, physical, options, clock });
}

interface Execution {
  valid: ValidLogicalPlan;
  physical: PhysicalPlan;
  options: ExecutePlanOptions;
  clock: Clock;
}

function createResult(execution: Execution): QueryResult {
  const { valid, physical, options, clock } = execution;
  const traffic: Traffic = { rows: 0, bytes: 0, batches: 0 };
  const statistics: QueryStatistics = {
    sources: [],
    rows: 0,
    bytes: 0,
    durationMs: 0,
    engine: physical.engine && options.engine?.name,
  };
  const allLimits = limitsOf(options.limits);
  const deadline = startDeadline(options.signal, {
    timeoutMs: allLimits.timeoutMs,
    what: "The query",
  });
  const startMs = clock.now();
  const { timeoutMs: _, eachSource: __, ...limits } = allLimits;
  async function* read(): AsyncGenerator<ColumnBatch, void> {
    try {
      yield* metered(run(execution, { deadline, statistics }), {
        traffic,
        limits,
        what: "The query",
      });
      const late = deadline.failure();
      if (late !== undefined) throw late;
    } catch (error) {
      throw deadline.failure() ?? discreetError(error, options);
    } finally {
      deadline.end();
      Object.assign(statistics, {
        rows: traffic.rows,
        bytes: traffic.bytes,
        durationMs: clock.now() - startMs,
      });
    }
  }
  const batches = read();
  return {
    columns: physical.columns,
    warnings: valid.warnings,
    physical,
    batches,
    rows: () => rowsOf(batches, physical.columns),
    async all() {
      const rows: PlanRow[] = [];
      for await (const row of rowsOf(batches, physical.columns)) rows.push(row);
      return rows;
    },
    statistics: () => ({ ...statistics, rows: traffic.rows, bytes: traffic.bytes }),
    async close() {
      deadline.end();
      await batches.return();
    },
  };
}

interface RunState {
  deadline: Deadline;
  statistics: QueryStatistics;
}

function run({ physical, options, clock }: Execution, state: RunState): AsyncIterable<ColumnBatch> {
  const batchRows = options.batchRows ?? 8_192;
  const inputs = physical.fragments.map((fragment) => ({
    name: fragment.output,
    columns: fragment.columns,
    batches: runFragment(fragment, { options, clock, state, batchRows }),
  }));
  const [first] = inputs;
  if (physical.engine === undefined || options.engine === undefined)
    return first?.batches ?? nothing();
  return options.engine.run(
    { ...physical.engine, inputs },
    { signal: state.deadline.signal, batchRows },
  );
}

async function* nothing(): AsyncGenerator<ColumnBatch, void> {
  yield* [];
}

interface FragmentRun {
  options: ExecutePlanOptions;
  clock: Clock;
  state: RunState;
  batchRows: number;
}

/** The rows of a fragment, counted against the limits. An error names the fragment's steps. */
async function* runFragment(
  fragment: PlacedFragment,
  { options, clock, state, batchRows }: FragmentRun,
): AsyncGenerator<ColumnBatch, void> {
  const steps = [...new Set(fragment.steps.map(({ name }) => shownName(name)))];
  const connector = options.connectors[fragment.connector];
  if (connector === undefined)
    throw new QueryError(
      "connector_missing",
      `There is no connector ${JSON.stringify(fragment.connector)}.`,
    );
  const what = `${connector.name} (${steps.map((name) => JSON.stringify(name)).join(", ")})`;
  const { eachSource: limits, timeoutMs: wholeMs } = limitsOf(options.limits);
  const deadline = startDeadline(state.deadline.signal, { timeoutMs: limits.timeoutMs, what });
  const traffic: Traffic = { rows: 0, bytes: 0, batches: 0 };
  const startMs = clock.now();
  const timeoutMs = Math.min(limits.timeoutMs ?? Infinity, wholeMs);
  try {
    const source = connector.run(fragment, {
      signal: deadline.signal,
      batchRows,
      timeoutMs: timeoutMs < Infinity ? timeoutMs : undefined,
    });
    yield* metered(source, { traffic, limits, what });
    const late = deadline.failure();
    if (late !== undefined) throw late;
  } catch (error) {
    throw (
      state.deadline.failure() ??
      deadline.failure() ??
      sourceError(error, { what, steps, connector: connector.name })
    );
  } finally {
    deadline.end();
    const source: SourceStatistics = {
      connector: connector.name,
      steps,
      rows: traffic.rows,
      bytes: traffic.bytes,
      durationMs: clock.now() - startMs,
    };
    state.statistics.sources.push(source);
  }
}

function sourceError(
  error: unknown,
  { what, ...details }: { what: string; steps: string[]; connector: string },
): unknown {
  if (
    QueryError.isInstance(error) &&
    (error.code === "limit_exceeded" || error.code === "aborted" || error.code === "closed")
  )
    return error;
  if (QueryError.isInstance(error))
    return new QueryError(error.code, `${what}: ${error.message}`, {
      details: { ...details, cause: error.details },
      cause: error,
    });
  const reason = error instanceof Error ? error.message : String(error);
  return new QueryError("source_failed", `${what} failed: ${reason.slice(0, 300)}`, {
    details,
    cause: error,
  });
}
