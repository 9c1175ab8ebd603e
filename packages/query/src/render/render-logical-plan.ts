import { stringify } from "yaml";
import type { LogicalPlan, PlanStep, SortKey } from "../plan/logical-plan.ts";
import { renderAggregate, renderExpression, renderName, renderNamed } from "./render-expression.ts";

/** Renders the plan as YAML. The same plan gives the same bytes, and parsing them gives the same plan. */
export function renderLogicalPlan(plan: LogicalPlan): string {
  const options = {
    lineWidth: 0,
    aliasDuplicateObjects: false,
    flowCollectionPadding: false,
  } as const;
  const steps = plan.steps.map(
    (step) => `  - ${stringify(fieldsOf(step), options).trimEnd().replaceAll("\n", "\n    ")}\n`,
  );
  return `version: 1\nsteps:\n${steps.join("")}`;
}

function fieldsOf(step: PlanStep): object {
  const { name, op } = step;
  switch (step.op) {
    case "scan":
    case "limit":
    case "union":
    case "distinct":
      return { ...orderedHead(step), ...step };
    case "filter":
      return { name, op, from: step.from, where: renderExpression(step.where) };
    case "project":
      return { name, op, from: step.from, columns: step.columns.map(renderNamed) };
    case "join": {
      const { kind, left, right, prefix } = step;
      const on = step.on.map((key) => `${renderName(key.left)} = ${renderName(key.right)}`);
      return { name, op, kind, left, right, on, prefix };
    }
    case "aggregate": {
      const by = step.by.map(renderNamed);
      return { name, op, from: step.from, by, aggregates: step.aggregates.map(renderAggregate) };
    }
    case "sort":
      return { name, op, from: step.from, by: step.by.map(renderSortKey) };
  }
}

/** The leading fields in fixed order, whatever their order in the object. */
function orderedHead(step: PlanStep): object {
  if (step.op === "scan") return { name: step.name, op: step.op, resource: step.resource };
  if (step.op === "limit")
    return { name: step.name, op: step.op, from: step.from, count: step.count };
  return { name: step.name, op: step.op };
}

function renderSortKey({ column, direction, nulls }: SortKey): string {
  return `${renderName(column)}${direction === "desc" ? " desc" : ""}${nulls === "first" ? " nulls first" : ""}`;
}
