import type { ResourceDetails } from "@ccl/catalog";
import type { Issue, Result } from "@ccl/core";
import { canonicalTime } from "../plan/canonical-value.ts";
import { inputsOf, type LogicalPlan } from "../plan/logical-plan.ts";
import type { TypedStep, ValidLogicalPlan } from "../plan/typed-plan.ts";
import { invalidQuery } from "../query-error.ts";
import { checkAntiPatterns } from "./check-anti-patterns.ts";
import { quotedName } from "../plan/nearest-name.ts";
import { allKnown, reportInto, type Report } from "./check-context.ts";
import { checkParameters } from "./check-parameters.ts";
import { checkJoinKeys } from "./check-join-keys.ts";
import { checkStep, type StepContext } from "./check-step.ts";
import { visibleResources, type AccessOptions } from "./visible-resources.ts";

const maxSteps = 200;

/** Options for checking a plan. */
export interface ValidateOptions extends AccessOptions {
  /** Resource details that the plan may use, as shown by the catalog. */
  details: Iterable<ResourceDetails>;
}

/**
 * Checks a plan's names, types, units, join keys and anti-patterns against the catalog and returns all issues
 * together. Anything hidden from the principal counts as unknown. Issue codes are in `PlanIssueCode`. The value
 * also has the warnings.
 */
export function validateLogicalPlan(
  plan: LogicalPlan,
  options: ValidateOptions,
  nowMs?: number,
): Result<ValidLogicalPlan> {
  const issues: Issue[] = [];
  const report = reportInto(issues);
  if (plan.steps.length > maxSteps) {
    const message = `The plan has ${plan.steps.length} steps of at most ${maxSteps}.`;
    report("limit_exceeded", ["steps"], message);
    return { ok: false, issues };
  }
  const now =
    nowMs === undefined ? undefined : canonicalTime(new Date(nowMs).toISOString(), "timestamptz");
  const resources = visibleResources(options.details, options);
  const steps = checkSteps(plan, issues, { resources, now });
  const checked = allKnown([...steps.values()]);
  const result = checked?.length === plan.steps.length ? checked.at(-1) : undefined;
  if (checked === undefined || result === undefined) return { ok: false, issues };
  checkUse(plan, report);
  checkParameters(checked, report);
  checkAntiPatterns(checked, report);
  return issues.some(({ severity }) => severity !== "warning")
    ? { ok: false, issues }
    : { ok: true, value: { plan, steps: checked, columns: result.columns, warnings: issues } };
}

/** Returns the checked plan. @throws QueryError `plan_invalid` with all issues. The message has the first errors. */
export function validPlan(
  plan: LogicalPlan,
  options: ValidateOptions,
  nowMs?: number,
): ValidLogicalPlan {
  const checked = validateLogicalPlan(plan, options, nowMs);
  if (checked.ok) return checked.value;
  throw invalidQuery(checked.issues);
}

function checkSteps(
  plan: LogicalPlan,
  issues: Issue[],
  context: Pick<StepContext, "resources" | "now">,
): Map<string, TypedStep | undefined> {
  const steps = new Map<string, TypedStep | undefined>();
  for (const [index, step] of plan.steps.entries()) {
    const report = reportInto(issues, ["steps", index]);
    if (steps.has(step.name)) {
      const message = `There are two steps ${quotedName(step.name)}; names are unique.`;
      report("step_duplicate", ["name"], message);
      continue;
    }
    const typed = checkStep({ ...context, report, steps }, step);
    if (typed?.op === "join") checkJoinKeys(steps, typed, report);
    steps.set(step.name, typed);
  }
  return steps;
}

/** Warns about steps that nothing reads, and about an order that is lost before the result. */
function checkUse({ steps }: LogicalPlan, report: Report): void {
  for (const [index, { name, op }] of steps.entries()) {
    const path = ["steps", index];
    const readers = steps.slice(index + 1).filter((later) => inputsOf(later).includes(name));
    if (readers.length === 0 && index < steps.length - 1) {
      const message = `Nothing reads step ${quotedName(name)}; the result is the last step.`;
      report("step_unused", path, message);
    }
    const loser = readers.find(
      (reader) => !["filter", "project", "limit", "sort"].includes(reader.op),
    );
    if (op !== "sort" || loser === undefined) continue;
    const message = `${loser.op} does not keep the order of ${quotedName(name)}; sort after it.`;
    report("order_lost", path, message);
  }
}
