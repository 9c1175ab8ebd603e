import type { DataKind } from "./data-type.ts";
import type { FunctionName } from "./functions.ts";

/** A value computed from one row, as a JSON-compatible tree. */
export type Expression =
  | ColumnExpression
  | LiteralExpression
  | CallExpression<Expression>
  | CaseExpression<Expression>
  | InExpression<Expression, LiteralExpression>
  | CastExpression;

/** A column of the step that the expression reads from. */
export interface ColumnExpression {
  op: "column";
  name: string;
}

/**
 * A constant. An `int` is a number, or a string of digits if a number would be inexact. A `decimal` is a string of
 * digits. A `date` is `YYYY-MM-DD`, a `timestamp` `YYYY-MM-DDTHH:MM:SS` with up to 6 fractional digits, a
 * `timestamptz` the same with `Z`.
 */
export interface LiteralExpression {
  op: "literal";
  type: DataKind | "null";
  value: string | number | boolean | null;
}

/** A call of an operator or a function. */
export interface CallExpression<Part> {
  op: "call";
  function: FunctionName;
  arguments: Part[];
}

/** Evaluates to the first branch whose condition is true, else `otherwise`, else null. */
export interface CaseExpression<Part> {
  op: "case";
  branches: { when: Part; value: Part }[];
  otherwise?: Part | undefined;
}

/**
 * True if the value equals an item in the list, null if the value is null. The list is not empty and contains no
 * nulls.
 */
export interface InExpression<Part, Literal> {
  op: "in";
  value: Part;
  list: Literal[];
}

/** Casts the value to a type, named as in `typeName`. */
export interface CastExpression {
  op: "cast";
  value: Expression;
  type: string;
}

/** A value and the name of its column. */
export interface NamedExpression {
  name: string;
  value: Expression;
}

/** Functions that aggregate the rows of a group. */
export type AggregateFunction = "count" | "count_distinct" | "sum" | "avg" | "min" | "max";

/** All aggregate functions. */
const aggregateFunctions: readonly AggregateFunction[] = [
  "count",
  "count_distinct",
  "sum",
  "avg",
  "min",
  "max",
];

/** True if the name is an aggregate function. */
export function isAggregateName(name: string): name is AggregateFunction {
  return aggregateFunctions.some((known) => known === name);
}

/** An aggregate and the name of its column. Only `count` may omit the argument, and then counts rows. */
export interface NamedAggregate {
  name: string;
  function: AggregateFunction;
  argument?: Expression | undefined;
}
