import type { DataType } from "../plan/data-type.ts";
import { conjunctsOf, type TypedExpression } from "../plan/typed-plan.ts";
import { decimalText, exactInt, scaledInt } from "./decode-value.ts";
import type { PlanValue } from "./column-batch.ts";

/** `column = 1`, `column in (1, 2)`, `column < 1`: conditions that sources without a query engine can apply. */
export interface SimpleCondition {
  column: string;
  operator: keyof typeof conditionSigns;
  type: DataType;
  /** One value, or several for `in`. A null matches no row. */
  values: PlanValue[];
}

/** Operators as written in SQL and plans. */
export const conditionSigns = {
  eq: "=",
  in: "in",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
} as const;

/** Comparisons with one constant. */
export const comparisons = ["eq", "lt", "le", "gt", "ge"] as const;
const mirrored = { eq: "eq", lt: "gt", le: "ge", gt: "lt", ge: "le" } as const;

/** Splits a condition into simple ones that must all hold. Returns undefined if any part is not simple. */
export function simpleConditions(where: TypedExpression): SimpleCondition[] | undefined {
  const conditions = conjunctsOf(where).flatMap((part) => {
    if (part.op !== "call" || part.function !== "between") return [simpleCondition(part)];
    const [value, ...bounds] = part.arguments;
    return bounds.map((bound, at) => comparison(at === 0 ? "ge" : "le", value, [bound]));
  });
  return conditions.every((condition) => condition !== undefined) ? conditions : undefined;
}

/** Converts an expression to a simple condition. Returns undefined if it is not one. */
export function simpleCondition(part: TypedExpression): SimpleCondition | undefined {
  if (part.op === "in") return comparison("in", part.value, part.list);
  if (part.op !== "call") return undefined;
  const operator = comparisons.find((name) => name === part.function);
  const [left, right] = part.arguments;
  if (operator === undefined || left === undefined || right === undefined) return undefined;
  return left.op === "literal"
    ? comparison(mirrored[operator], right, [left])
    : comparison(operator, left, [right]);
}

function comparison(
  operator: keyof typeof conditionSigns,
  value: TypedExpression | undefined,
  constants: readonly TypedExpression[],
): SimpleCondition | undefined {
  // A number compared with a decimal is cast to a common type. The cast does not change the value.
  const isCast = value?.op === "cast" && value.type.kind === "decimal";
  const column = isCast ? value.value : value;
  if (column?.op !== "column" || (isCast && column.type.kind === "float")) return undefined;
  const { name, type } = column;
  const values = constants.map((part) =>
    part.op === "literal" ? valueAs(part.value, type) : undefined,
  );
  return values.every((one) => one !== undefined)
    ? { column: name, operator, type, values }
    : undefined;
}

/** Converts a constant to a column's type. Returns undefined if the type cannot hold the value. */
function valueAs(value: PlanValue, type: DataType): PlanValue | undefined {
  const digits = type.kind === "int" ? { precision: 18, scale: 0 } : type;
  if (value === null || !("scale" in digits)) return value;
  const { precision, scale } = digits;
  const text = decimalText(String(value), scale);
  if (text === undefined || text.replace(/\D/g, "").length > precision) return undefined;
  return type.kind === "int" ? exactInt(text) : text;
}

/** Creates a predicate for the condition over values of its type. A null result counts as false. */
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

/** Creates a comparer for a type as plans define it: text by code points, decimals and times by value. */
function comparer(type: DataType): Comparer {
  const sign = (left: bigint | number | boolean, right: bigint | number | boolean): number =>
    left < right ? -1 : left > right ? 1 : 0;
  switch (type.kind) {
    case "int":
      return (left, right) => sign(BigInt(left), BigInt(right));
    case "float":
      return (left, right) => signOfFloats(Number(left), Number(right));
    case "bool":
      return (left, right) => sign(left === true, right === true);
    case "decimal":
      return (left, right) =>
        sign(scaledInt(String(left), type.scale), scaledInt(String(right), type.scale));
    case "timestamptz":
      // Without its Z, a time is a prefix of the same time with a fraction.
      return (left, right) =>
        byCodePoints(String(left).replace("Z", ""), String(right).replace("Z", ""));
    default:
      return (left, right) => byCodePoints(String(left), String(right));
  }
}

/** Compares floats. NaN equals itself and is above every number, as in PostgreSQL and DuckDB. */
function signOfFloats(left: number, right: number): number {
  if (Number.isNaN(left) || Number.isNaN(right))
    return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
  return left < right ? -1 : left > right ? 1 : 0;
}

function byCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    if (left.charCodeAt(at) === right.charCodeAt(at)) continue;
    return (left.codePointAt(at) ?? 0) < (right.codePointAt(at) ?? 0) ? -1 : 1;
  }
  return left.length - right.length;
}
