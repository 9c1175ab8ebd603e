import type { DataType } from "../plan/data-type.ts";
import { conjunctsOf, type TypedExpression } from "../plan/typed-plan.ts";
import type { PlanValue } from "./column-batch.ts";

/** How a column is compared with constants. */
export type ConditionOperator = "eq" | "in" | "lt" | "le" | "gt" | "ge";

/** `column = 1`, `column in (1, 2)`, `column < 1`: conditions that sources without a query engine can apply. */
export interface SimpleCondition {
  column: string;
  operator: ConditionOperator;
  type: DataType;
  /** One value, or several for `in`. No row matches a null. */
  values: PlanValue[];
}

const mirrored = { eq: "eq", lt: "gt", le: "ge", gt: "lt", ge: "le" } as const;

/** The conditions that must all hold. Undefined if a part is not a simple condition. */
export function simpleConditions(where: TypedExpression): SimpleCondition[] | undefined {
  const conditions = conjunctsOf(where).map(simpleCondition);
  return conditions.every((condition) => condition !== undefined) ? conditions : undefined;
}

/** The expression as a simple condition. Undefined if it is not one. */
export function simpleCondition(part: TypedExpression): SimpleCondition | undefined {
  if (part.op === "in" && part.value.op === "column") {
    const { name, type } = part.value;
    return { column: name, operator: "in", type, values: part.list.map(({ value }) => value) };
  }
  if (part.op !== "call") return undefined;
  const operator = comparisonOf(part.function);
  const [left, right] = part.arguments;
  if (operator === undefined || left === undefined || right === undefined) return undefined;
  if (left.op === "column" && right.op === "literal")
    return { column: left.name, operator, type: left.type, values: [right.value] };
  if (left.op === "literal" && right.op === "column")
    return {
      column: right.name,
      operator: mirrored[operator],
      type: right.type,
      values: [left.value],
    };
  return undefined;
}

function comparisonOf(name: string): keyof typeof mirrored | undefined {
  switch (name) {
    case "eq":
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return name;
    default:
      return undefined;
  }
}

/** A test for values of the condition's type. A null result counts as false. */
export function conditionTest({
  operator,
  type,
  values,
}: SimpleCondition): (value: PlanValue) => boolean {
  const wanted = values.filter((value) => value !== null);
  const compare = comparer(type);
  if (operator === "eq" || operator === "in")
    return (value) => value !== null && wanted.some((one) => compare(value, one) === 0);
  const [bound] = wanted;
  if (bound === undefined) return () => false;
  const isMet = {
    lt: (sign: number) => sign < 0,
    le: (sign: number) => sign <= 0,
    gt: (sign: number) => sign > 0,
    ge: (sign: number) => sign >= 0,
  }[operator];
  return (value) => value !== null && isMet(compare(value, bound));
}

type Comparer = (
  left: string | number | bigint | boolean,
  right: string | number | bigint | boolean,
) => number;

/** Compares two values of one type as plans do: text by code points, decimals and times by value. */
function comparer(type: DataType): Comparer {
  const sign = (left: bigint | number | boolean, right: bigint | number | boolean): number =>
    left < right ? -1 : left > right ? 1 : 0;
  switch (type.kind) {
    case "int":
      return (left, right) => sign(BigInt(left), BigInt(right));
    case "float":
      return (left, right) => sign(Number(left), Number(right));
    case "bool":
      return (left, right) => sign(left === true, right === true);
    case "decimal":
      return (left, right) =>
        sign(digitsOf(String(left), type.scale), digitsOf(String(right), type.scale));
    case "timestamptz":
      // Without its Z, a time is a prefix of the same time with a fraction.
      return (left, right) =>
        byCodePoints(String(left).replace("Z", ""), String(right).replace("Z", ""));
    default:
      return (left, right) => byCodePoints(String(left), String(right));
  }
}

function digitsOf(text: string, scale: number): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.slice(0, scale).padEnd(scale, "0"));
}

function byCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    if (left.charCodeAt(at) === right.charCodeAt(at)) continue;
    return (left.codePointAt(at) ?? 0) < (right.codePointAt(at) ?? 0) ? -1 : 1;
  }
  return left.length - right.length;
}
