import type { ResourceDetails } from "@ccl/catalog";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { PlanColumn, TypedExpression } from "../plan/typed-plan.ts";
import { reportInto } from "./check-context.ts";
import { checkStep } from "./check-step.ts";

/** A row rule and the columns that it may use, including hidden ones. */
export interface TypedRule {
  where: TypedExpression;
  columns: PlanColumn[];
}

const nothing: TypedExpression = {
  op: "literal",
  value: false,
  type: { kind: "bool" },
};

/** Parses a resource's row rule. An invalid rule becomes `false`. */
export function typedRule(resource: ResourceDetails, rule: string): TypedRule {
  const steps = [
    { op: "scan", resource: resource.id },
    { op: "filter", where: rule },
  ];
  const parsed = parseLogicalPlan({ version: 1, steps });
  const [first, second] = parsed.ok ? parsed.value.steps : [];
  const context = {
    resources: new Map([[resource.id, resource]]),
    report: reportInto([]),
  };
  const scan = first && checkStep({ ...context, steps: new Map() }, first);
  const filter =
    scan && second && checkStep({ ...context, steps: new Map([[scan.name, scan]]) }, second);
  return {
    where: filter?.op === "filter" ? filter.where : nothing,
    columns: scan?.columns ?? [],
  };
}
