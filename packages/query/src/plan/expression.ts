import type { DataKind } from "./data-type.ts";
import type { FunctionName } from "./functions.ts";

/** A value computed from one row, as a tree that JSON can hold. */
export type Expression =
  | ColumnExpression
  | LiteralExpression
  | CallExpression
  | CaseExpression
  | InExpression
  | CastExpression;

/** A column of the step that the expression reads from. */
interface ColumnExpression {
  op: "column";
  name: string;
}

/**
 * A constant. An `int` is a number, or its digits where no number is exact; a `decimal` its digits; a `date` is
 * `YYYY-MM-DD`, a `timestamp` `YYYY-MM-DDTHH:MM:SS` with up to 6 digits of a second, a `timestamptz` the same with `Z`.
 */
export interface LiteralExpression {
  op: "literal";
  type: DataKind | "null";
  value: string | number | boolean | null;
}

/** An operator or a function. */
interface CallExpression {
  op: "call";
  function: FunctionName;
  arguments: Expression[];
}

/** The value of the first branch whose condition is true; `otherwise`, or null without one. */
export interface CaseExpression {
  op: "case";
  branches: { when: Expression; value: Expression }[];
  otherwise?: Expression | undefined;
}

/** True where the value equals one of the list, null where it is null. The list is not empty and holds no null. */
export interface InExpression {
  op: "in";
  value: Expression;
  list: LiteralExpression[];
}

/** The value as another type, named as `typeName` does. */
export interface CastExpression {
  op: "cast";
  value: Expression;
  type: string;
}

/** A value with the name of its column. */
export interface NamedExpression {
  name: string;
  value: Expression;
}

/** What an aggregate computes over the rows of a group. */
export type AggregateFunction = "count" | "count_distinct" | "sum" | "avg" | "min" | "max";

/** All of them. */
export const aggregateFunctions: readonly AggregateFunction[] = [
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

/** An aggregate with the name of its column. Only `count` goes without an argument: it counts rows then. */
export interface NamedAggregate {
  name: string;
  function: AggregateFunction;
  argument?: Expression | undefined;
}
