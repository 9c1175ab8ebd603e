import type { NamedAggregate, NamedExpression, Expression } from "./expression.ts";

/** A query over catalogued resources: steps that read from steps before them. The last one is the result. */
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

/** Which operation a step is. */
export type PlanOperation = PlanStep["op"];

/** What a source takes that takes all. */
export const allOperations: ReadonlySet<PlanOperation> = new Set([
  "scan",
  "filter",
  "project",
  "join",
  "aggregate",
  "sort",
  "limit",
  "union",
  "distinct",
]);

/** Rows of a resource. */
export interface ScanStep {
  name: string;
  op: "scan";
  /** The id of a catalogued resource. */
  resource: string;
  /** All that the principal may see where absent. */
  columns?: string[] | undefined;
}

/** The rows for which the condition is true; not those where it is null. Keeps the order. */
interface FilterStep {
  name: string;
  op: "filter";
  from: string;
  where: Expression;
}

/** Exactly these columns, in this order. Keeps the order of rows. */
interface ProjectStep {
  name: string;
  op: "project";
  from: string;
  columns: NamedExpression[];
}

/** How rows are joined: `semi` keeps the left rows that have a partner, `anti` those that have none. */
export type JoinKind = "inner" | "left" | "semi" | "anti";

/** All kinds; the first where a plan names none. */
export const joinKinds: readonly JoinKind[] = ["inner", "left", "semi", "anti"];

/** Rows whose keys are all equal; null equals nothing. Gives the left columns, then (inner, left) the right ones. */
export interface JoinStep {
  name: string;
  op: "join";
  kind: JoinKind;
  left: string;
  right: string;
  on: { left: string; right: string }[];
  /** Stands before the name of every right column. */
  prefix?: string | undefined;
}

/** One row for each group; one for all rows, even of none, where `by` is empty. */
export interface AggregateStep {
  name: string;
  op: "aggregate";
  from: string;
  by: NamedExpression[];
  aggregates: NamedAggregate[];
}

/** A column to sort by. Text sorts by code points. Nulls come last, whatever the direction, unless told otherwise. */
export interface SortKey {
  column: string;
  direction: "asc" | "desc";
  nulls: "first" | "last";
}

/** Rows in order. Filter, project and limit keep it; all other steps lose it. */
interface SortStep {
  name: string;
  op: "sort";
  from: string;
  by: SortKey[];
}

/** `count` rows after the first `offset` (0 where absent). */
interface LimitStep {
  name: string;
  op: "limit";
  from: string;
  count: number;
  offset?: number | undefined;
}

/** The rows of all inputs, duplicates included. Columns go by name; the first input gives their order. */
export interface UnionStep {
  name: string;
  op: "union";
  from: string[];
}

/** Each different row once; nulls count as equal here. */
interface DistinctStep {
  name: string;
  op: "distinct";
  from: string;
}

/** The names of the steps that a step reads from, in order. */
export function inputsOf(step: PlanStep): string[] {
  if (step.op === "scan") return [];
  if (step.op === "join") return [step.left, step.right];
  return step.op === "union" ? step.from : [step.from];
}
