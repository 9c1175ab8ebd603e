import { quoteIdentifier } from "@ccl/sql";
import type { Clock } from "@ccl/core";
import type { ResourceDetails } from "@ccl/catalog";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { EngineInput, TableScan } from "../connector/connector.ts";
import { findConnector, type Connectors } from "../connector/find-connector.ts";
import { conditionTest, simpleConditions } from "../connector/simple-condition.ts";
import {
  columnsOf,
  conjunction,
  conjunctsOf,
  type PlanColumn,
  type TypedExpression,
} from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { printExpression } from "../sql/print-expression.ts";
import { typedRule } from "../validate/row-rules.ts";
import { rowRule, type AccessOptions } from "../validate/visible-resources.ts";
import {
  limitsOf,
  metered,
  startDeadline,
  type Deadline,
  type ExecutionLimits,
  type Traffic,
} from "./execution-limits.ts";
import type { SourceStatistics } from "./query-result.ts";

/** Options for running scans. */
export interface ScanOptions extends AccessOptions {
  details: Iterable<ResourceDetails>;
  connectors: Connectors;
  limits: ExecutionLimits | undefined;
  /** The deadline of the whole query. */
  deadline: Pick<Deadline, "signal" | "failure">;
  batchRows: number;
  clock: Clock;
  onEnd?(statistics: SourceStatistics): void;
}

/** A scan's rows, filtered by the parts of the access rule that need no engine. */
export interface OpenedScan {
  columns: PlanColumn[];
  batches: AsyncIterable<ColumnBatch>;
  /**
   * The part of the access rule that an engine must check. Columns that the scan did not request are only for this
   * check.
   */
  rule?: TypedExpression | undefined;
}

/**
 * Reads the rows that meet a scan's conditions and access rule, within the source's limits. Rechecks conditions on
 * the rows, because sources may filter loosely. Errors name the scan's step.
 */
export function openScan(
  scan: TableScan & { name: string; maxRows?: number | undefined },
  options: ScanOptions,
): OpenedScan {
  const original = [...options.details].find(({ id }) => id === scan.resource.id);
  const rule = original && rowRule(original, options);
  if (original === undefined || rule === undefined)
    return { columns: scan.columns, batches: readScan(scan, scan.columns.length, options) };
  const { where, columns: known } = typedRule(original, rule);
  const parts = conjunctsOf(where);
  const conditions = parts.flatMap((part) => simpleConditions(part) ?? []);
  const rest = conjunction(parts.filter((part) => simpleConditions(part) === undefined));
  const read = new Set(columnsOf(where));
  for (const { name } of scan.columns) read.delete(name);
  const hidden = known.filter(({ name }) => read.has(name));
  const columns = [...scan.columns, ...hidden];
  if (rest?.op === "literal" && rest.value !== true)
    return { columns: scan.columns, batches: nothing() };
  const ruled = {
    ...scan,
    resource: original,
    columns,
    conditions: [...conditions, ...scan.conditions],
    maxRows: rest === undefined ? scan.maxRows : undefined,
  };
  const width = rest === undefined ? scan.columns.length : columns.length;
  return {
    columns: columns.slice(0, width),
    batches: readScan(ruled, width, options),
    rule: rest,
  };
}

/** Describes the rows as an engine table. `nameOf` names a column by its index. */
export function engineInput(
  name: string,
  columns: readonly PlanColumn[],
  { columns: loaded, batches, rule, nameOf }: OpenedScan & { nameOf: (index: number) => string },
): EngineInput {
  const names = new Map(loaded.map((column, index) => [column.name, nameOf(index)]));
  const nameIn = (column: string): string => quoteIdentifier(names.get(column) ?? column);
  return {
    name,
    columns: loaded.map((column, index) => ({ ...column, name: nameOf(index) })),
    batches,
    rule: rule && {
      where: printExpression(rule, nameIn),
      columns: columns.map((column) => names.get(column.name) ?? column.name),
    },
  };
}

async function* nothing(): AsyncGenerator<ColumnBatch, void> {
  yield* [];
}

async function* readScan(
  scan: TableScan & { name: string; maxRows?: number | undefined },
  width: number,
  options: ScanOptions,
): AsyncGenerator<ColumnBatch, void> {
  const { conditions, resource, columns, name, maxRows = Infinity } = scan;
  if (conditions.some(({ values }) => values.every((value) => value === null))) return;
  const { connector } = findConnector(options.connectors, resource);
  const what = `${connector.name} (${JSON.stringify(name)})`;
  const { eachSource: limits, timeoutMs: wholeMs } = limitsOf(options.limits);
  const deadline = startDeadline(options.deadline.signal, { timeoutMs: limits.timeoutMs, what });
  const source = { connector: connector.name, steps: [name] };
  const traffic: Traffic = { rows: 0, bytes: 0 };
  const startMs = options.clock.now();
  const timeoutMs = Math.min(limits.timeoutMs ?? Infinity, wholeMs);
  try {
    const batches = connector.run(
      { resource, columns, conditions },
      {
        signal: deadline.signal,
        batchRows: Math.max(1, Math.min(options.batchRows, maxRows)),
        timeoutMs: timeoutMs < Infinity ? timeoutMs : undefined,
      },
    );
    const advice =
      connector.sql === undefined
        ? "filter it by comparing columns with constants"
        : "filter it by comparing columns with constants, or write SQL that this source can run alone";
    yield* metered(checked(batches, scan, width), { traffic, limits, what, advice });
    const late = deadline.failure();
    if (late !== undefined) throw late;
  } catch (error) {
    throw options.deadline.failure() ?? deadline.failure() ?? sourceError(error, what, source);
  } finally {
    deadline.end();
    const durationMs = options.clock.now() - startMs;
    options.onEnd?.({ ...source, ...traffic, durationMs });
  }
}

/**
 * Keeps only rows that meet all conditions, up to `maxRows`, and only the first columns. Stops the source after
 * the last row.
 */
async function* checked(
  batches: AsyncIterable<ColumnBatch>,
  { conditions, columns, maxRows = Infinity }: TableScan & { maxRows?: number | undefined },
  width: number,
): AsyncGenerator<ColumnBatch, void> {
  const tests = conditions.map((condition) => ({
    at: columns.findIndex(({ name }) => name === condition.column),
    isMet: conditionTest(condition),
  }));
  let left = maxRows;
  if (left === 0) return;
  for await (const { rowCount, columns: values } of batches) {
    const rows = Array.from({ length: rowCount }, (_, row) => row)
      .filter((row) => tests.every(({ at, isMet }) => isMet(values[at]?.[row] ?? null)))
      .slice(0, left);
    left -= rows.length;
    const kept = values.slice(0, width);
    yield {
      rowCount: rows.length,
      columns:
        rows.length === rowCount
          ? kept
          : kept.map((column) => rows.map((row) => column[row] ?? null)),
    };
    if (left === 0) return;
  }
}

function sourceError(
  error: unknown,
  what: string,
  details: { steps: string[]; connector: string },
): unknown {
  if (!QueryError.isInstance(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `${what} failed: ${reason.slice(0, 300)}`;
    return new QueryError("source_failed", message, { details, cause: error });
  }
  if (["limit_exceeded", "aborted", "closed"].includes(error.code)) return error;
  return new QueryError(error.code, `${what}: ${error.message}`, {
    details: { ...details, cause: error.details },
    cause: error,
  });
}
