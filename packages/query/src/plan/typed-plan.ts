import type { Issue } from "@ccl/core";
import type { ResourceDetails } from "@ccl/catalog";
import type { DataType } from "./data-type.ts";
import type {
  AggregateFunction,
  CallExpression,
  CaseExpression,
  ColumnExpression,
  InExpression,
  LiteralExpression,
} from "./expression.ts";
import type { JoinKind, LogicalPlan, SortKey } from "./logical-plan.ts";

/** A column of a step's rows. */
export interface PlanColumn {
  name: string;
  type: DataType;
  /** As the catalog names it. Only operations that preserve the unit keep it. */
  unit?: string | undefined;
}

/** Type and unit of a typed expression's value. */
export interface TypedValue {
  type: DataType;
  unit?: string | undefined;
}

/**
 * An expression with resolved names and types. Conversions are casts. Operands of a comparison, the results of a CASE and
 * the values of an IN have one type. Units, zones and patterns are literals.
 */
export type TypedExpression =
  | TypedLiteral
  | TypedCall
  | (TypedValue &
      (
        | ColumnExpression
        | CaseExpression<TypedExpression>
        | InExpression<TypedExpression, TypedLiteral>
        | { op: "cast"; value: TypedExpression }
      ));

/** A constant in canonical form for its type. Null for a null of any type. */
export type TypedLiteral = TypedValue & Pick<LiteralExpression, "op" | "value">;

/** An operator or a function. */
export type TypedCall = TypedValue & CallExpression<TypedExpression>;

/** An aggregate over the rows of a group. */
export interface TypedAggregate extends TypedValue {
  function: AggregateFunction;
  argument?: TypedExpression | undefined;
}

/** A step with the names and types of its `columns`. */
export type TypedStep =
  | TypedScan
  | TypedFilter
  | TypedProject
  | TypedJoin
  | TypedAggregateStep
  | TypedSort
  | TypedLimit
  | TypedUnion
  | TypedDistinct;

interface StepOf<Op extends string> {
  name: string;
  op: Op;
  columns: PlanColumn[];
}

/** Reads columns of a resource. */
export interface TypedScan extends StepOf<"scan"> {
  /** Only has columns that the principal may see. */
  resource: ResourceDetails;
}

/** Keeps the rows for which a condition holds. */
interface TypedFilter extends StepOf<"filter"> {
  from: string;
  where: TypedExpression;
}

/** One value for each of `columns`. */
export interface TypedProject extends StepOf<"project"> {
  from: string;
  values: TypedExpression[];
}

/** Joins rows with equal keys. */
export interface TypedJoin extends StepOf<"join"> {
  kind: JoinKind;
  left: string;
  right: string;
  /** The right expression reads from the right step. */
  on: { left: TypedExpression; right: TypedExpression }[];
  /** How many of `columns` come from the left. The rest are all columns of the right step, in its order. */
  leftCount: number;
}

/** Groups rows: `columns` are the keys, then the aggregates. */
export interface TypedAggregateStep extends StepOf<"aggregate"> {
  from: string;
  by: TypedExpression[];
  aggregates: TypedAggregate[];
}

/** Sorts rows. */
interface TypedSort extends StepOf<"sort"> {
  from: string;
  by: SortKey[];
}

/** Keeps the first rows. */
interface TypedLimit extends StepOf<"limit"> {
  from: string;
  count: number;
  offset: number;
}

/** All rows of the inputs. `values[i]` holds the columns from input i. */
interface TypedUnion extends StepOf<"union"> {
  from: string[];
  values: TypedExpression[][];
}

/** Removes duplicate rows. */
interface TypedDistinct extends StepOf<"distinct"> {
  from: string;
}

/** A plan that was checked against the catalog. */
export interface ValidLogicalPlan {
  plan: LogicalPlan;
  /** In the plan's order, so inputs come before the steps that read them. */
  steps: TypedStep[];
  /** The columns of the result. */
  columns: PlanColumn[];
  warnings: Issue[];
}

/** The direct subexpressions of an expression. */
export function partsOf(expression: TypedExpression): TypedExpression[] {
  switch (expression.op) {
    case "column":
    case "literal":
      return [];
    case "call":
      return expression.arguments;
    case "cast":
      return [expression.value];
    case "in":
      return [expression.value, ...expression.list];
    case "case": {
      const branches = expression.branches.flatMap(({ when, value }) => [when, value]);
      return expression.otherwise === undefined ? branches : [...branches, expression.otherwise];
    }
  }
}

/** Replaces the direct subexpressions of an expression. Keeps lists of constants. */
export function withParts(
  expression: TypedExpression,
  write: (part: TypedExpression) => TypedExpression,
): TypedExpression {
  switch (expression.op) {
    case "column":
    case "literal":
      return expression;
    case "call":
      return { ...expression, arguments: expression.arguments.map(write) };
    case "cast":
    case "in":
      return { ...expression, value: write(expression.value) };
    case "case": {
      const { otherwise, branches, ...rest } = expression;
      return {
        ...rest,
        branches: branches.map(({ when, value }) => ({ when: write(when), value: write(value) })),
        otherwise: otherwise && write(otherwise),
      };
    }
  }
}

/** The names of the columns that an expression reads. */
export function columnsOf(expression: TypedExpression): string[] {
  return expression.op === "column" ? [expression.name] : partsOf(expression).flatMap(columnsOf);
}

/** The parts of an AND, or the expression itself. */
export function conjunctsOf(expression: TypedExpression): TypedExpression[] {
  return expression.op === "call" && expression.function === "and"
    ? expression.arguments.flatMap(conjunctsOf)
    : [expression];
}

/** The AND of all parts. */
export function conjunction(parts: readonly TypedExpression[]): TypedExpression | undefined {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first;
  return { op: "call", function: "and", arguments: [...parts], type: { kind: "bool" } };
}
