import { canonicalTimestamp } from "../plan/canonical-value.ts";
import {
  withParts,
  type TypedExpression,
  type TypedLiteral,
  type TypedStep,
  type ValidLogicalPlan,
} from "../plan/typed-plan.ts";

/** Replaces each `now()` by one instant that all sources share. */
export function resolveNow(valid: ValidLogicalPlan, nowMs: number): ValidLogicalPlan {
  const value = canonicalTimestamp(new Date(nowMs).toISOString(), "timestamptz") ?? null;
  const now: TypedLiteral = {
    op: "literal",
    value,
    type: { kind: "timestamptz" },
    isNullable: false,
  };
  const write = (expression: TypedExpression): TypedExpression => resolved(expression, now);
  return { ...valid, steps: valid.steps.map((step) => withExpressions(step, write)) };
}

function resolved(expression: TypedExpression, now: TypedLiteral): TypedExpression {
  if (expression.op === "call" && expression.function === "now") return now;
  return withParts(expression, (part) => resolved(part, now));
}

function withExpressions(
  step: TypedStep,
  write: (expression: TypedExpression) => TypedExpression,
): TypedStep {
  switch (step.op) {
    case "filter":
      return { ...step, where: write(step.where) };
    case "project":
      return { ...step, values: step.values.map(write) };
    case "aggregate": {
      const aggregates = step.aggregates.map(({ argument, ...rest }) => ({
        ...rest,
        argument: argument && write(argument),
      }));
      return { ...step, by: step.by.map(write), aggregates };
    }
    default:
      return step;
  }
}
