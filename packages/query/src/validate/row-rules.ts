import type { ResourceDetails } from "@ccl/catalog";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { derivedName } from "../physical/derived-name.ts";
import {
  conjunction,
  conjunctsOf,
  type TypedExpression,
  type TypedScan,
  type TypedStep,
} from "../plan/typed-plan.ts";
import { reportInto } from "./check-context.ts";
import { checkStep } from "./check-step.ts";

/** The row rule of a resource, which may use hidden columns. An invalid rule becomes `false`. */
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
  const steps = [
    { op: "scan", resource: resource.id },
    { op: "filter", where: rule },
  ];
  const parsed = parseLogicalPlan({ version: 1, steps });
  const [first, second] = parsed.ok ? parsed.value.steps : [];
  const context = {
    resources: new Map([[resource.id, resource]]),
    report: reportInto([]),
    path: [],
  };
  const scan = first && checkStep({ ...context, steps: new Map() }, first);
  const filter =
    scan && second && checkStep({ ...context, steps: new Map([[scan.name, scan]]) }, second);
  return scan?.op === "scan" && filter?.op === "filter" ? { scan, where: filter.where } : undefined;
}

/** Marks each part, since filters are split and merged. */
function markedRule(rule: TypedExpression): TypedExpression {
  const parts = conjunctsOf(rule).map((part): TypedExpression => ({ ...part, isRule: true }));
  return conjunction(parts) ?? nothing;
}

/** A scan of the rows that a rule allows. It reads all columns for the rule and returns only the scan's own. */
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
