import type { ResourceDetails } from "@ccl/catalog";
import type { Issue, Result } from "@ccl/core";
import { canonicalTimestamp } from "../plan/canonical-value.ts";
import { inputsOf, type LogicalPlan, type PlanStep } from "../plan/logical-plan.ts";
import type { TypedStep, ValidLogicalPlan } from "../plan/typed-plan.ts";
import { invalidQuery } from "../query-error.ts";
import { checkAntiPatterns } from "./check-anti-patterns.ts";
import { quotedName } from "../plan/nearest-name.ts";
import { reportInto, type Report } from "./check-context.ts";
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
    nowMs === undefined
      ? undefined
      : canonicalTimestamp(new Date(nowMs).toISOString(), "timestamptz");
  const resources = visibleResources(options.details, options);
  const steps = checkSteps(plan, { report, resources, now });
  const checked = [...steps.values()].filter((step) => step !== undefined);
  const isWhole = checked.length === plan.steps.length && checked.length > 0;
  if (isWhole) {
    checkUse(plan, report);
    checkParameters(checked, report);
    checkAntiPatterns(checked, report);
  }
  const hasErrors = issues.some(({ severity }) => severity !== "warning");
  if (hasErrors || !isWhole) return { ok: false, issues };
  return {
    ok: true,
    value: { plan, steps: checked, columns: checked.at(-1)?.columns ?? [], warnings: issues },
  };
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
  context: Pick<StepContext, "report" | "resources" | "now">,
): Map<string, TypedStep | undefined> {
  const { report } = context;
  const steps = new Map<string, TypedStep | undefined>();
  for (const [index, step] of plan.steps.entries()) {
    const path = ["steps", index];
    if (steps.has(step.name)) {
      report(
        "step_duplicate",
        [...path, "name"],
        `There are two steps ${quotedName(step.name)}; names are unique.`,
      );
      continue;
    }
    const typed = checkStep({ ...context, steps, path }, step);
    if (typed?.op === "join") checkJoinKeys(steps, typed, { path: [...path, "on"], report });
    steps.set(step.name, typed);
  }
  return steps;
}

const keepsOrder: ReadonlySet<PlanStep["op"]> = new Set(["filter", "project", "limit"]);

/** Warns about steps that nothing reads, and about an order that is lost before the result. */
function checkUse(plan: LogicalPlan, report: Report): void {
  const last = plan.steps.length - 1;
  for (const [index, step] of plan.steps.entries()) {
    const readers = plan.steps
      .slice(index + 1)
      .filter((later) => inputsOf(later).includes(step.name));
    if (readers.length === 0 && index < last) {
      report(
        "step_unused",
        ["steps", index],
        `Nothing reads step ${quotedName(step.name)}; the result is the last step.`,
      );
    }
    const loser =
      step.op === "sort"
        ? readers.find(({ op }) => !keepsOrder.has(op) && op !== "sort")
        : undefined;
    if (loser === undefined) continue;
    report(
      "order_lost",
      ["steps", index],
      `${loser.op} does not keep the order of ${quotedName(step.name)}; sort after it.`,
    );
  }
}
