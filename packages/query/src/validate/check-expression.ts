import { isSameType, parseDataType, typeName, type DataType } from "../plan/data-type.ts";
import type {
  CaseExpression,
  CastExpression,
  Expression,
  InExpression,
  LiteralExpression,
} from "../plan/expression.ts";
import type { TypedExpression, TypedLiteral } from "../plan/typed-plan.ts";
import { checkCall } from "./check-call.ts";
import { allKnown, findColumn, type Scope } from "./check-context.ts";
import {
  commonType,
  converted,
  convertedLiteral,
  isCastable,
  literalType,
} from "./convert-type.ts";
import { commonUnit, mismatch, sameTyped } from "./same-typed.ts";

/** Returns the typed expression. If anything in it is invalid, reports every issue and returns undefined. */
export function checkExpression(scope: Scope, expression: Expression): TypedExpression | undefined {
  switch (expression.op) {
    case "column": {
      const column = findColumn(scope, expression.name);
      return column && { op: "column", ...column };
    }
    case "literal":
      return typedLiteral(expression);
    case "call": {
      const parts = allKnown(expression.arguments.map((part) => checkExpression(scope, part)));
      return parts && checkCall({ scope, name: expression.function, parts });
    }
    case "case":
      return checkCase(scope, expression);
    case "in":
      return checkIn(scope, expression);
    case "cast":
      return checkCast(scope, expression);
  }
}

/** Types a literal. A null counts as text until its context sets another type. */
function typedLiteral({ type, value }: LiteralExpression): TypedLiteral {
  return { op: "literal", value, type: literalType(type === "null" ? "text" : type, value) };
}

/** Returns the expression if it is a bool. Reports any other type. */
export function checkCondition(scope: Scope, expression: Expression): TypedExpression | undefined {
  const value = checkExpression(scope, expression);
  if (value === undefined || value.type.kind === "bool") return value;
  if (value.op === "literal" && value.value === null) return { ...value, type: { kind: "bool" } };
  return scope.report(
    "type_mismatch",
    `A condition is a bool, not ${typeName(value.type)}; compare it with a value.`,
  );
}

function checkCase(
  scope: Scope,
  { branches, otherwise }: CaseExpression<Expression>,
): TypedExpression | undefined {
  const results = branches.map(({ value }) => value);
  const whens = allKnown(branches.map(({ when }) => checkCondition(scope, when)));
  const values = allKnown(
    [...results, ...(otherwise === undefined ? [] : [otherwise])].map((value) =>
      checkExpression(scope, value),
    ),
  );
  if (whens === undefined || values === undefined) return undefined;
  const same = sameTyped(values) ?? mismatch(scope, "The values of a case", values);
  const [first] = same ?? [];
  if (same === undefined || first === undefined) return undefined;
  return {
    op: "case",
    branches: whens.map((when, index) => ({ when, value: same[index] ?? first })),
    otherwise: otherwise && same.at(-1),
    type: first.type,
    unit: commonUnit(same),
  };
}

function checkIn(
  scope: Scope,
  expression: InExpression<Expression, LiteralExpression>,
): TypedExpression | undefined {
  const value = checkExpression(scope, expression.value);
  if (value === undefined) return undefined;
  const literals = expression.list.map(typedLiteral);
  let type: DataType = value.type;
  for (const literal of literals) {
    if (convertedLiteral(literal, type) !== undefined) continue;
    const wider = commonType(type, literal.type);
    if (wider === undefined)
      return mismatch(scope, "The value and the list of IN", [value, literal]);
    type = wider;
  }
  const list = literals.flatMap((literal) =>
    isSameType(literal.type, type) ? literal : (convertedLiteral(literal, type) ?? []),
  );
  if (list.length < literals.length) {
    return scope.report(
      "argument_invalid",
      `The list of IN contains a value that has no exact ${typeName(type)}; compare with = instead.`,
    );
  }
  return { op: "in", value: converted(value, type), list, type: { kind: "bool" } };
}

function checkCast(scope: Scope, expression: CastExpression): TypedExpression | undefined {
  const value = checkExpression(scope, expression.value);
  const type = parseDataType(expression.type);
  if (value === undefined || type === undefined) return undefined;
  const literal = value.op === "literal" ? convertedLiteral(value, type) : undefined;
  if (literal !== undefined) return literal;
  if (isCastable(value.type, type)) return converted(value, type);
  const hint = value.type.kind === "timestamptz" ? " Use date(x, zone) or local(x, zone)." : "";
  return scope.report(
    "cast_invalid",
    `${typeName(value.type)} has no cast to ${typeName(type)}.${hint}`,
  );
}
