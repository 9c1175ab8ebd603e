import { canonicalTimestamp } from "../plan/canonical-value.ts";
import type {
  TypedExpression,
  TypedLiteral,
  TypedStep,
  ValidLogicalPlan,
} from "../plan/typed-plan.ts";

/** The plan with each `now()` as one instant, the same in every source. */
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
  const write = (part: TypedExpression): TypedExpression => resolved(part, now);
  switch (expression.op) {
    case "column":
    case "literal":
      return expression;
    case "call":
      return expression.function === "now"
        ? now
        : { ...expression, arguments: expression.arguments.map(write) };
    case "cast":
    case "in":
      return { ...expression, value: write(expression.value) };
    case "case": {
      const { otherwise, ...rest } = expression;
      const branches = expression.branches.map(({ when, value }) => ({
        when: write(when),
        value: write(value),
      }));
      return { ...rest, branches, otherwise: otherwise ? write(otherwise) : undefined };
    }
  }
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
        argument: argument ? write(argument) : undefined,
      }));
      return { ...step, by: step.by.map(write), aggregates };
    }
    default:
      return step;
  }
}
