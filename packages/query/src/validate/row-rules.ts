import type { ResourceDetails } from "@ccl/catalog";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { derivedName } from "../physical/derived-name.ts";
import type { Expression } from "../plan/expression.ts";
import type { TypedExpression, TypedScan, TypedStep } from "../plan/typed-plan.ts";
import { reportInto } from "./check-context.ts";
import { conjunction, conjunctsOf } from "../physical/push-filters.ts";
import { checkStep } from "./check-step.ts";

/** The rule of a resource's rows over all of its columns, hidden ones too; false for one that does not hold up. */
export function typedRule(resource: ResourceDetails, rule: string): TypedExpression {
  return ruleSteps(resource, rule)?.where ?? nothing;
}

const nothing: TypedExpression = {
  op: "literal",
  value: false,
  type: { kind: "bool" },
  isNullable: false,
};

function ruleSteps(
  resource: ResourceDetails,
  rule: string,
): { scan: TypedScan; where: TypedExpression } | undefined {
  const names = ["scan", "rule"] as const;
  const parsed = parseLogicalPlan({
    version: 1,
    steps: [
      { name: names[0], op: "scan", resource: resource.id },
      { name: names[1], op: "filter", from: names[0], where: rule },
    ],
  });
  const filter = parsed.ok ? parsed.value.steps[1] : undefined;
  const where: Expression | undefined = filter?.op === "filter" ? filter.where : undefined;
  const context = {
    resources: new Map([[resource.id, resource]]),
    report: reportInto([]),
    path: [],
  };
  const scan = checkStep(
    { ...context, steps: new Map() },
    { name: names[0], op: "scan", resource: resource.id },
  );
  if (scan?.op !== "scan" || where === undefined) return undefined;
  const steps = new Map([[scan.name, scan]]);
  const typed = checkStep(
    { ...context, steps },
    { name: names[1], op: "filter", from: scan.name, where },
  );
  return typed?.op === "filter" ? { scan, where: typed.where } : undefined;
}

/** Each part bears the mark, since filters are taken apart and put together. */
function markedRule(rule: TypedExpression): TypedExpression {
  const parts = conjunctsOf(rule).map((part): TypedExpression => ({ ...part, isRule: true }));
  return conjunction(parts) ?? nothing;
}

/** A scan of the rows that a rule lets through: all columns are read, the rule holds, and only those of the scan go on. */
export function ruledScan(scan: TypedScan, original: ResourceDetails, rule: string): TypedStep[] {
  const found = ruleSteps(original, rule);
  const inner: TypedScan = { ...(found?.scan ?? scan), name: derivedName(scan.name, "rows") };
  const ruled = derivedName(scan.name, "rule");
  const { columns } = inner;
  const where = markedRule(found?.where ?? nothing);
  return [
    inner,
    { name: ruled, op: "filter", from: inner.name, where, columns },
    {
      name: scan.name,
      op: "project",
      from: ruled,
      values: scan.columns.map((column): TypedExpression => ({ op: "column", ...column })),
      columns: scan.columns,
    },
  ];
}
