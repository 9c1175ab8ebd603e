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
import { allKnown, findColumn, type IssuePath, type Scope } from "./check-context.ts";
import {
  commonType,
  converted,
  convertedLiteral,
  isCastable,
  literalType,
} from "./convert-type.ts";
import { commonUnit, mismatch, sameTyped } from "./same-typed.ts";

/** Returns the typed expression. If anything in it is invalid, reports every issue and returns undefined. */
export function checkExpression(
  scope: Scope,
  expression: Expression,
  path: IssuePath,
): TypedExpression | undefined {
  switch (expression.op) {
    case "column": {
      const column = findColumn(scope, expression.name, path);
      if (column === undefined) return undefined;
      return { op: "column", ...column };
    }
    case "literal":
      return typedLiteral(expression);
    case "call": {
      const parts = allKnown(
        expression.arguments.map((part) => checkExpression(scope, part, path)),
      );
      return parts && checkCall({ scope, path, name: expression.function, parts });
    }
    case "case":
      return checkCase(scope, expression, path);
    case "in":
      return checkIn(scope, expression, path);
    case "cast":
      return checkCast(scope, expression, path);
  }
}

/** Types a literal. A null counts as text until its context sets another type. */
function typedLiteral({ type, value }: LiteralExpression): TypedLiteral {
  if (type === "null") return { op: "literal", value: null, type: { kind: "text" } };
  return { op: "literal", value, type: literalType(type, value) };
}

/** Returns the expression if it is a bool. Reports any other type. */
export function checkCondition(
  scope: Scope,
  expression: Expression,
  path: IssuePath,
): TypedExpression | undefined {
  const value = checkExpression(scope, expression, path);
  if (value === undefined) return undefined;
  if (value.type.kind === "bool") return value;
  if (value.op === "literal" && value.value === null) return { ...value, type: { kind: "bool" } };
  return scope.report(
    "type_mismatch",
    path,
    `A condition is a bool, not ${typeName(value.type)}; compare it with a value.`,
  );
}

function checkCase(
  scope: Scope,
  expression: CaseExpression<Expression>,
  path: IssuePath,
): TypedExpression | undefined {
  const { otherwise: last } = expression;
  const written = expression.branches.map(({ value }) => value);
  const whens = allKnown(expression.branches.map(({ when }) => checkCondition(scope, when, path)));
  const known = allKnown(
    (last === undefined ? written : [...written, last]).map((value) =>
      checkExpression(scope, value, path),
    ),
  );
  if (whens === undefined || known === undefined) return undefined;
  const same = sameTyped(known);
  if (same === undefined)
    return mismatch(scope, path, { what: "The values of a case", parts: known });
  const otherwise = last && same.at(-1);
  const branches = whens.flatMap((when, index) => {
    const value = same[index];
    return value === undefined ? [] : [{ when, value }];
  });
  const type = same[0]?.type ?? { kind: "text" };
  return {
    op: "case",
    branches,
    otherwise,
    type,
    ...commonUnit(same),
  };
}

function checkIn(
  scope: Scope,
  expression: InExpression<Expression, LiteralExpression>,
  path: IssuePath,
): TypedExpression | undefined {
  const value = checkExpression(scope, expression.value, path);
  if (value === undefined) return undefined;
  const literals = expression.list.map(typedLiteral);
  let type: DataType = value.type;
  for (const literal of literals) {
    if (convertedLiteral(literal, type) !== undefined) continue;
    const wider = commonType(type, literal.type);
    if (wider === undefined)
      return mismatch(scope, path, {
        what: "The value and the list of IN",
        parts: [value, literal],
      });
    type = wider;
  }
  const list = literals.flatMap((literal) =>
    isSameType(literal.type, type) ? literal : (convertedLiteral(literal, type) ?? []),
  );
  if (list.length < literals.length) {
    return scope.report(
      "argument_invalid",
      path,
      `The list of IN contains a value that has no exact ${typeName(type)}; compare with = instead.`,
    );
  }
  return {
    op: "in",
    value: converted(value, type),
    list,
    type: { kind: "bool" },
  };
}

function checkCast(
  scope: Scope,
  expression: CastExpression,
  path: IssuePath,
): TypedExpression | undefined {
  const value = checkExpression(scope, expression.value, path);
  const type = parseDataType(expression.type);
  if (value === undefined || type === undefined) return undefined;
  if (value.op === "literal") {
    const literal = convertedLiteral(value, type);
    if (literal !== undefined) return literal;
  }
  if (isCastable(value.type, type)) return converted(value, type);
  const hint = value.type.kind === "timestamptz" ? " Use date(x, zone) or local(x, zone)." : "";
  return scope.report(
    "cast_invalid",
    path,
    `${typeName(value.type)} has no cast to ${typeName(type)}.${hint}`,
  );
}
