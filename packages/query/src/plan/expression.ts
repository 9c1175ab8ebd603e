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

/** A column of the step that the expression reads. */
export interface ColumnExpression {
  op: "column";
  name: string;
}

/**
 * A constant. An `int` is a number, or its digits if a number is not exact. A `decimal` is its digits. A `date` is
 * `YYYY-MM-DD`, a `timestamp` `YYYY-MM-DDTHH:MM:SS` with up to 6 fractional digits, a `timestamptz` the same with `Z`.
 */
export interface LiteralExpression {
  op: "literal";
  type: DataKind | "null";
  value: string | number | boolean | null;
}

/** An operator or a function. */
export interface CallExpression<Part> {
  op: "call";
  function: FunctionName;
  arguments: Part[];
}

/** The value of the first branch whose condition is true, else `otherwise`, else null. */
export interface CaseExpression<Part> {
  op: "case";
  branches: { when: Part; value: Part }[];
  otherwise?: Part | undefined;
}

/**
 * True if the value equals an item of the list, null if the value is null. The list is not empty
 * and holds no null.
 */
export interface InExpression<Part, Literal> {
  op: "in";
  value: Part;
  list: Literal[];
}

/** Casts the value to a type, named as `typeName` does. */
export interface CastExpression {
  op: "cast";
  value: Expression;
  type: string;
}

/** A value and its column name. */
export interface NamedExpression {
  name: string;
  value: Expression;
}

/** What an aggregate computes over the rows of a group. */
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

/** True for the name of an aggregate. */
export function isAggregateName(name: string): name is AggregateFunction {
  return aggregateFunctions.some((known) => known === name);
}

/** An aggregate and its column name. Only `count` may omit the argument. It then counts rows. */
export interface NamedAggregate {
  name: string;
  function: AggregateFunction;
  argument?: Expression | undefined;
}
