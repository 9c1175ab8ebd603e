import type { NamedAggregate, NamedExpression, Expression } from "./expression.ts";

/** A query over catalogued resources. Each step reads from earlier steps. The last step is the result. */
export interface LogicalPlan {
  version: 1;
  steps: PlanStep[];
}

/** A step of a plan. Names are unique within the plan. */
export type PlanStep =
  | ScanStep
  | FilterStep
  | ProjectStep
  | JoinStep
  | AggregateStep
  | SortStep
  | LimitStep
  | UnionStep
  | DistinctStep;

/** The operation of a step. */
export type PlanOperation = PlanStep["op"];

/** Reads rows from a resource. */
export interface ScanStep {
  name: string;
  op: "scan";
  /** Id of a catalogued resource. */
  resource: string;
  /** Defaults to all columns that the principal may see. */
  columns?: string[] | undefined;
}

/** Keeps rows for which the condition is true. Drops rows for which it is null. Preserves the order. */
interface FilterStep {
  name: string;
  op: "filter";
  from: string;
  where: Expression;
  /** The expressions as written. Used in explanations. */
  text?: string | undefined;
}

/** Returns exactly these columns, in this order. Preserves the order of rows. */
interface ProjectStep {
  name: string;
  op: "project";
  from: string;
  columns: NamedExpression[];
  /** The expressions as written. Used in explanations. */
  text?: string | undefined;
}

/** How to join rows. `semi` keeps left rows that have a match, `anti` keeps left rows without one. */
export type JoinKind = "inner" | "left" | "semi" | "anti";

/** All kinds. The first is the default. */
export const joinKinds: readonly JoinKind[] = ["inner", "left", "semi", "anti"];

/**
 * Joins rows whose keys are all equal. Null equals nothing. Returns the left columns, followed by the right ones
 * for inner and left joins.
 */
export interface JoinStep {
  name: string;
  op: "join";
  kind: JoinKind;
  left: string;
  right: string;
  on: { left: string; right: string }[];
  /** Prefix added to the name of every right column. */
  prefix?: string | undefined;
}

/** Returns one row per group. If `by` is empty, returns a single row, even if there is no input. */
export interface AggregateStep {
  name: string;
  op: "aggregate";
  from: string;
  by: NamedExpression[];
  aggregates: NamedAggregate[];
  /** The expressions as written. Used in explanations. */
  text?: string | undefined;
}

/** A column to sort by. Text sorts by code points. By default, nulls come last in both directions. */
export interface SortKey {
  column: string;
  direction: "asc" | "desc";
  nulls: "first" | "last";
}

/** Sorts rows. Filter, project and limit preserve the order. All other steps lose it. */
interface SortStep {
  name: string;
  op: "sort";
  from: string;
  by: SortKey[];
}

/** Skips the first `offset` rows (0 by default) and returns the next `count`. */
interface LimitStep {
  name: string;
  op: "limit";
  from: string;
  count: number;
  offset?: number | undefined;
}

/**
 * Returns the rows of all inputs, including duplicates. Columns match by name. The first input determines their
 * order.
 */
export interface UnionStep {
  name: string;
  op: "union";
  from: string[];
}

/** Returns each distinct row once. Nulls count as equal. */
interface DistinctStep {
  name: string;
  op: "distinct";
  from: string;
}

/** Returns the names of the steps that a step reads, in order. Accepts plan steps and typed steps. */
export function inputsOf(
  step:
    | { op: "scan" }
    | Pick<JoinStep, "op" | "left" | "right">
    | Pick<UnionStep, "op" | "from">
    | { op: Exclude<PlanOperation, "scan" | "join" | "union">; from: string },
): string[] {
  if (step.op === "scan") return [];
  if (step.op === "join") return [step.left, step.right];
  return step.op === "union" ? step.from : [step.from];
}
