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

/** A column in a step's output. */
export interface PlanColumn {
  name: string;
  type: DataType;
  /** Unit as named in the catalog. Only operations that preserve the unit keep it. */
  unit?: string | undefined;
}

/** Type and unit of a typed expression's value. */
export interface TypedValue {
  type: DataType;
  unit?: string | undefined;
}

/**
 * An expression with resolved names and types. Conversions are casts. Operands of a comparison, results of a CASE
 * and values of an IN share one type. Units, zones and patterns are literals.
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

/** A constant in the canonical form of its type. A null has the value null in every type. */
export type TypedLiteral = TypedValue & Pick<LiteralExpression, "op" | "value">;

/** A call of an operator or function. */
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

/** Reads columns from a resource. */
export interface TypedScan extends StepOf<"scan"> {
  /** Contains only columns that the principal may see. */
  resource: ResourceDetails;
}

/** Keeps rows for which a condition is true. */
interface TypedFilter extends StepOf<"filter"> {
  from: string;
  where: TypedExpression;
}

/** Computes one value for each of `columns`. */
export interface TypedProject extends StepOf<"project"> {
  from: string;
  values: TypedExpression[];
}

/** Joins rows with equal keys. */
export interface TypedJoin extends StepOf<"join"> {
  kind: JoinKind;
  left: string;
  right: string;
  /** `left` reads from the left step and `right` from the right step. */
  on: { left: TypedExpression; right: TypedExpression }[];
  /** Number of `columns` that come from the left. The rest are all columns of the right step, in order. */
  leftCount: number;
}

/** Groups rows. `columns` are the keys, followed by the aggregates. */
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

/** Returns all rows of the inputs. `values[i]` contains the columns from input i. */
interface TypedUnion extends StepOf<"union"> {
  from: string[];
  values: TypedExpression[][];
}

/** Removes duplicate rows. */
interface TypedDistinct extends StepOf<"distinct"> {
  from: string;
}

/** A plan that has been checked against the catalog. */
export interface ValidLogicalPlan {
  plan: LogicalPlan;
  /** In plan order, so inputs come before the steps that read them. */
  steps: TypedStep[];
  /** The columns of the result. */
  columns: PlanColumn[];
  warnings: Issue[];
}

/** Returns the direct subexpressions of an expression. */
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

/** Replaces the direct subexpressions of an expression. Leaves lists of constants unchanged. */
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

/** Returns the names of columns that an expression reads. */
export function columnsOf(expression: TypedExpression): string[] {
  return expression.op === "column" ? [expression.name] : partsOf(expression).flatMap(columnsOf);
}

/** Returns the operands of an AND, or the expression itself. */
export function conjunctsOf(expression: TypedExpression): TypedExpression[] {
  return expression.op === "call" && expression.function === "and"
    ? expression.arguments.flatMap(conjunctsOf)
    : [expression];
}

/** Combines all parts with AND. */
export function conjunction(parts: readonly TypedExpression[]): TypedExpression | undefined {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first;
  return { op: "call", function: "and", arguments: [...parts], type: { kind: "bool" } };
}
