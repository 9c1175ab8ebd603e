import { inputsOf } from "../plan/logical-plan.ts";
import type { TableScan } from "../connector/connector.ts";
import { hasParameters, scanColumns } from "../connector/scan-columns.ts";
import { simpleConditions, type SimpleCondition } from "../connector/simple-condition.ts";
import { columnName, printPlan, tableName } from "../sql/print-plan.ts";
import { readerCount, scanConditions } from "./scan-conditions.ts";
import {
  conjunctsOf,
  type TypedScan,
  type TypedStep,
  type ValidLogicalPlan,
} from "../plan/typed-plan.ts";

/** A plan's read from one resource. */
export interface PlanScan extends TableScan {
  /** Name of the step in the plan. */
  name: string;
  /** Maximum number of rows that the plan needs. */
  maxRows?: number | undefined;
  /** Table and column names in the statement. */
  table: string;
  names: string[];
}

/** A plan split into rows to read and a statement to run over them. */
export interface PlanWork {
  /** The steps that the result needs. Scans list only the columns that are read. */
  steps: TypedStep[];
  /** The statement for DuckDB. */
  text: string;
  scans: PlanScan[];
  /**
   * Column indexes, if the result only copies columns from a single scan. Undefined if an engine must compute
   * something.
   */
  direct?: number[] | undefined;
}

/** Splits a plan into scans of sources and a statement to run over their rows. */
export function planScans(valid: ValidLogicalPlan): PlanWork {
  const used = usedSteps(valid.steps);
  const conditions = scanConditions(used);
  const { text, columnsOf } = printPlan(used, valid.columns);
  const sentTo = (scan: TypedScan): SimpleCondition[][] =>
    (conditions.get(scan.name) ?? []).flatMap((part) => {
      const sent = simpleConditions(part);
      return sent?.every((condition) => isAllowed(condition, scan)) ? [sent] : [];
    });
  const isWhole = ({ scan, conjuncts }: Reading): boolean => conjuncts === sentTo(scan).length;
  const last = used.at(-1);
  const whole = last && readingOf(used, last);
  const limits = used
    .flatMap((step) => (step.op === "limit" ? (readingOf(used, step) ?? []) : []))
    .filter(isWhole);
  const scans = used.flatMap((step): PlanScan[] => {
    if (step.op !== "scan") return [];
    const columns = columnsOf(step);
    return [
      {
        name: step.name,
        resource: step.resource,
        columns,
        conditions: sentTo(step).flat(),
        maxRows: limits.find(({ scan }) => scan === step)?.maxRows,
        table: tableName(used, step.name),
        names: columns.map(({ name }) => columnName(step.columns, name)),
      },
    ];
  });
  const direct = whole?.columns.flatMap((name) =>
    name === undefined ? [] : (scans[0]?.columns.findIndex((column) => column.name === name) ?? []),
  );
  const isDirect =
    whole !== undefined &&
    isWhole(whole) &&
    whole.offset === 0 &&
    direct?.length === valid.columns.length;
  const steps = used.map((step) =>
    step.op === "scan" ? { ...step, columns: columnsOf(step) } : step,
  );
  return { steps, text, scans, direct: isDirect ? direct : undefined };
}

function usedSteps(steps: readonly TypedStep[]): TypedStep[] {
  const used = new Set([steps.at(-1)?.name]);
  for (const step of steps.toReversed())
    if (used.has(step.name)) for (const name of inputsOf(step)) used.add(name);
  return steps.filter(({ name }) => used.has(name));
}

/**
 * True if the condition may be sent to the source. Arguments always are. For other conditions, the card decides:
 * `pushdown` first, then `cap`.
 */
function isAllowed({ column, operator }: SimpleCondition, { resource }: TypedScan): boolean {
  const isEqual = operator === "eq" || operator === "in";
  if (isEqual && hasParameters(resource) && scanColumns(resource).get(column)?.isParameter === true)
    return true;
  const { pushdown, cap = [] } = resource;
  return pushdown?.filter ?? (cap.length === 0 || cap.includes("filter"));
}

/** A chain of steps that only filters, renames and limits rows from one scan. */
interface Reading {
  scan: TypedScan;
  /** Number of conditions in its filters. */
  conjuncts: number;
  /** The scan's name for each column. Undefined for computed columns. */
  columns: (string | undefined)[];
  maxRows?: number | undefined;
  offset: number;
}

/**
 * Describes a step that only filters, renames and limits rows from one scan. Returns undefined for any other step.
 */
function readingOf(steps: readonly TypedStep[], step: TypedStep): Reading | undefined {
  if (step.op === "scan")
    return { scan: step, conjuncts: 0, columns: step.columns.map(({ name }) => name), offset: 0 };
  if (step.op !== "filter" && step.op !== "project" && step.op !== "limit") return undefined;
  const from = steps.find(({ name }) => name === step.from);
  const below = from && readerCount(steps, from.name) === 1 ? readingOf(steps, from) : undefined;
  if (from === undefined || below === undefined) return undefined;
  if (step.op === "project") {
    const columns = step.values.map((value) =>
      value.op === "column"
        ? below.columns[from.columns.findIndex(({ name }) => name === value.name)]
        : undefined,
    );
    return { ...below, columns };
  }
  if (below.maxRows !== undefined) return undefined;
  if (step.op === "filter")
    return { ...below, conjuncts: below.conjuncts + conjunctsOf(step.where).length };
  return { ...below, maxRows: step.offset + step.count, offset: step.offset };
}
