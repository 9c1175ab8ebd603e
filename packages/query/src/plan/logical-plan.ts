import type { NamedAggregate, NamedExpression, Expression } from "./expression.ts";

/** A query over catalogued resources. Each step reads from steps before it. The last one is the result. */
export interface LogicalPlan {
  version: 1;
  steps: PlanStep[];
}

/** One step. Names are unique in a plan. */
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

/** Rows of a resource. */
export interface ScanStep {
  name: string;
  op: "scan";
  /** The id of a catalogued resource. */
  resource: string;
  /** All columns that the principal may see, if absent. */
  columns?: string[] | undefined;
}

/** Keeps the rows for which the condition is true, not those for which it is null. Keeps the order. */
interface FilterStep {
  name: string;
  op: "filter";
  from: string;
  where: Expression;
  /** The expressions as they were written, for explanations. */
  text?: string | undefined;
}

/** Returns exactly these columns, in this order. Keeps the order of rows. */
interface ProjectStep {
  name: string;
  op: "project";
  from: string;
  columns: NamedExpression[];
  /** The expressions as they were written, for explanations. */
  text?: string | undefined;
}

/** How rows are joined: `semi` keeps the left rows that have a partner, `anti` those without one. */
export type JoinKind = "inner" | "left" | "semi" | "anti";

/** All kinds. The first is the default. */
export const joinKinds: readonly JoinKind[] = ["inner", "left", "semi", "anti"];

/** Joins rows whose keys are all equal. Null equals nothing. Returns the left columns, then (inner, left) the right. */
export interface JoinStep {
  name: string;
  op: "join";
  kind: JoinKind;
  left: string;
  right: string;
  on: { left: string; right: string }[];
  /** Prefix of every right column's name. */
  prefix?: string | undefined;
}

/** One row per group. If `by` is empty, one row for all rows, even if there are none. */
export interface AggregateStep {
  name: string;
  op: "aggregate";
  from: string;
  by: NamedExpression[];
  aggregates: NamedAggregate[];
  /** The expressions as they were written, for explanations. */
  text?: string | undefined;
}

/** A column to sort by. Text sorts by code points. Nulls come last in both directions by default. */
export interface SortKey {
  column: string;
  direction: "asc" | "desc";
  nulls: "first" | "last";
}

/** Sorts rows. Filter, project and limit keep the order. All other steps lose it. */
interface SortStep {
  name: string;
  op: "sort";
  from: string;
  by: SortKey[];
}

/** `count` rows after the first `offset` (0 if absent). */
interface LimitStep {
  name: string;
  op: "limit";
  from: string;
  count: number;
  offset?: number | undefined;
}

/** The rows of all inputs, duplicates included. Columns match by name. The first input sets their order. */
export interface UnionStep {
  name: string;
  op: "union";
  from: string[];
}

/** Each distinct row once. Nulls count as equal here. */
interface DistinctStep {
  name: string;
  op: "distinct";
  from: string;
}

/** The names of the steps that a step reads, in order. Accepts plan steps and typed steps. */
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
