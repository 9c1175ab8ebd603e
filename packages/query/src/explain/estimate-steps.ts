import type { ResourceColumn, ResourceDetails } from "@ccl/catalog";
import {
  conjunctsOf,
  type PlanColumn,
  type TypedExpression,
  type TypedStep,
} from "../plan/typed-plan.ts";
import { rowCount } from "../validate/check-anti-patterns.ts";

/** Estimated output of a step, as far as the catalog knows. */
export interface StepEstimate {
  /** Undefined if the catalog gives no row count for a resource. */
  rows: number | undefined;
  bytes: number | undefined;
}

interface ColumnFacts {
  /** Number of distinct values. */
  distinct: number;
  nullShare: number;
}

interface Known {
  rows: number | undefined;
  facts: Map<string, ColumnFacts>;
}

/** Selectivities of conditions without better statistics: the usual defaults of query planners. */
const shares = { range: 0.33, like: 0.1, other: 0.25, semi: 0.5 };

/**
 * Estimates rows and bytes of every step, by name, from `shape.rows_est`, keys and null rates. The rules are System R's
 * (1979): a key has as many values as rows, another column their square root, and conditions are independent.
 */
export function estimateSteps(steps: readonly TypedStep[]): Map<string, StepEstimate> {
  const known = new Map<string, Known>();
  const estimates = new Map<string, StepEstimate>();
  for (const step of steps) {
    const after = estimateStep(step, (name) => known.get(name) ?? nothing);
    known.set(step.name, after);
    const rows = after.rows === undefined ? undefined : Math.max(0, Math.ceil(after.rows));
    estimates.set(step.name, {
      rows,
      bytes: rows === undefined ? undefined : rows * rowBytes(step.columns),
    });
  }
  return estimates;
}

const nothing: Known = { rows: undefined, facts: new Map() };

/** As `batchBytes` counts: 8 for a number, 1 for a bool. A text is assumed to have 16. */
export function rowBytes(columns: readonly PlanColumn[]): number {
  const widths = {
    bool: 1,
    int: 8,
    float: 8,
    decimal: 8,
    text: 16,
    date: 10,
    timestamp: 19,
    timestamptz: 20,
  };
  return columns.reduce((sum, { type }) => sum + widths[type.kind], 0);
}

function estimateStep(step: TypedStep, of: (name: string) => Known): Known {
  switch (step.op) {
    case "scan":
      return scanFacts(step.resource);
    case "filter": {
      const { rows, facts } = of(step.from);
      return { rows: rows === undefined ? undefined : rows * shareOf(step.where, facts), facts };
    }
    case "project": {
      const { rows, facts } = of(step.from);
      const kept = step.values.flatMap((value, index): [string, ColumnFacts][] => {
        const fact = value.op === "column" ? facts.get(value.name) : undefined;
        return fact === undefined ? [] : [[step.columns[index]?.name ?? "", fact]];
      });
      return { rows, facts: new Map(kept) };
    }
    case "join":
      return joined(step, of(step.left), of(step.right));
    case "aggregate": {
      const { rows, facts } = of(step.from);
      if (step.by.length === 0) return { rows: 1, facts: new Map() };
      if (rows === undefined) return nothing;
      return {
        rows: Math.min(rows, product(step.by.map((value) => distinctOf(value, facts, rows)))),
        facts: new Map(),
      };
    }
    case "sort":
      return of(step.from);
    case "limit": {
      const { rows, facts } = of(step.from);
      return { rows: Math.min(step.count, Math.max(0, (rows ?? Infinity) - step.offset)), facts };
    }
    case "union": {
      const all = step.from.map((name) => of(name).rows);
      return {
        rows: all.reduce(
          (sum, rows) => (sum === undefined || rows === undefined ? undefined : sum + rows),
          0,
        ),
        facts: new Map(),
      };
    }
    case "distinct": {
      const { rows, facts } = of(step.from);
      if (rows === undefined) return nothing;
      return {
        rows: Math.min(
          rows,
          product(step.columns.map(({ name }) => facts.get(name)?.distinct ?? Math.sqrt(rows))),
        ),
        facts,
      };
    }
  }
}

function scanFacts(resource: ResourceDetails): Known {
  const rows = rowCount(resource.shape?.rows_est);
  if (rows === undefined) return nothing;
  const rates = resource.quality?.null_rate ?? {};
  const fact = (column: ResourceColumn): ColumnFacts => ({
    distinct: column.pk === true ? rows : Math.max(1, Math.sqrt(rows)),
    nullShare: Object.hasOwn(rates, column.name) ? (rates[column.name] ?? 0) : 0,
  });
  return {
    rows,
    facts: new Map((resource.columns ?? []).map((column) => [column.name, fact(column)])),
  };
}

function joined(step: Extract<TypedStep, { op: "join" }>, left: Known, right: Known): Known {
  if (left.rows === undefined || right.rows === undefined) return nothing;
  if (step.kind === "semi" || step.kind === "anti")
    return { rows: left.rows * shares.semi, facts: left.facts };
  const [leftRows, rightRows] = [left.rows, right.rows];
  const values = step.on.map((key) =>
    Math.max(
      distinctOf(key.left, left.facts, leftRows),
      distinctOf(key.right, right.facts, rightRows),
      1,
    ),
  );
  const matched = (left.rows * right.rows) / product(values);
  return { rows: step.kind === "left" ? Math.max(left.rows, matched) : matched, facts: left.facts };
}

function distinctOf(
  value: TypedExpression,
  facts: ReadonlyMap<string, ColumnFacts>,
  rows: number,
): number {
  if (value.op === "literal") return 1;
  const fact = value.op === "column" ? facts.get(value.name) : undefined;
  return Math.min(rows, fact?.distinct ?? Math.max(1, Math.sqrt(rows)));
}

function shareOf(where: TypedExpression, facts: ReadonlyMap<string, ColumnFacts>): number {
  return product(conjunctsOf(where).map((part) => partShare(part, facts)));
}

function partShare(part: TypedExpression, facts: ReadonlyMap<string, ColumnFacts>): number {
  if (part.op === "in") return Math.min(1, part.list.length * equalShare(part.value, facts));
  if (part.op !== "call") return part.op === "literal" ? Number(part.value === true) : shares.other;
  const [first, second] = part.arguments;
  switch (part.function) {
    case "eq":
      return equalShare(first?.op === "column" ? first : second, facts);
    case "ne":
      return 1 - equalShare(first?.op === "column" ? first : second, facts);
    case "or":
      return Math.min(
        1,
        part.arguments.reduce((sum, one) => sum + partShare(one, facts), 0),
      );
    case "and":
      return product(part.arguments.map((one) => partShare(one, facts)));
    case "not":
      return first === undefined ? shares.other : 1 - partShare(first, facts);
    case "is_null":
      return nullShare(first, facts);
    case "is_not_null":
      return 1 - nullShare(first, facts);
    case "like":
    case "contains":
    case "starts_with":
    case "ends_with":
      return shares.like;
    default:
      return shares.range;
  }
}

function equalShare(
  value: TypedExpression | undefined,
  facts: ReadonlyMap<string, ColumnFacts>,
): number {
  const fact = value?.op === "column" ? facts.get(value.name) : undefined;
  return fact === undefined ? shares.like : 1 / Math.max(1, fact.distinct);
}

function nullShare(
  value: TypedExpression | undefined,
  facts: ReadonlyMap<string, ColumnFacts>,
): number {
  if (value === undefined || !value.isNullable) return 0;
  return (value.op === "column" ? facts.get(value.name)?.nullShare : undefined) ?? shares.like;
}

function product(values: readonly number[]): number {
  return values.reduce((all, value) => all * value, 1);
}
