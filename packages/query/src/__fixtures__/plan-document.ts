import type { LogicalPlan, PlanStep } from "../plan/logical-plan.ts";
import {
  renderAggregate,
  renderExpression,
  renderNamed,
} from "./render-expression.ts";
import { renderName } from "../plan/reserved-words.ts";

/** The plan as a model writes it: expressions, keys and aggregates are texts. */
export function planDocument({ version, steps }: LogicalPlan): object {
  return { version, steps: steps.map((step) => stepDocument("text" in step ? { ...step, text: undefined } : step)) };
}

function stepDocument(step: PlanStep): object {
  switch (step.op) {
    case "filter":
      return { ...step, where: renderExpression(step.where) };
    case "project":
      return { ...step, columns: step.columns.map(renderNamed) };
    case "join":
      return { ...step, on: step.on.map(({ left, right }) => `${renderName(left)} = ${renderName(right)}`) };
    case "aggregate":
      return { ...step, by: step.by.map(renderNamed), aggregates: step.aggregates.map(renderAggregate) };
    case "sort":
      return {
        ...step,
        by: step.by.map(({ column, direction, nulls }) => `${renderName(column)} ${direction} nulls ${nulls}`),
      };
    default:
      return step;
  }
}
