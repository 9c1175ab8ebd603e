import type { Issue } from "@ccl/core";
import type { ResourceDetails } from "@ccl/catalog";
import type { StandardSchema } from "@ccl/structured-output";
import type { PlanLimits } from "../parse/plan-limits.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { LogicalPlan, PlanStep } from "../plan/logical-plan.ts";
import type { ValidLogicalPlan } from "../plan/typed-plan.ts";
import { logicalPlanSchema } from "../schema/logical-plan-schema.ts";
import { validateLogicalPlan, type ValidationLimits } from "../validate/validate-logical-plan.ts";

/** What a model's plan is checked against. */
export interface PlanSchemaOptions {
  /** The resources that the principal sees. */
  details: readonly ResourceDetails[];
  aliases: Readonly<Record<string, string>>;
  limits?: (PlanLimits & ValidationLimits) | undefined;
}

/** A schema that runs the whole check of a plan, so that a repair request lists every issue by code and path. */
export function planSchema({
  details,
  aliases,
  limits,
}: PlanSchemaOptions): StandardSchema<ValidLogicalPlan> {
  return {
    "~standard": {
      vendor: "ccl",
      validate(value) {
        const parsed = parseLogicalPlan(value, { limits });
        if (!parsed.ok) return { issues: parsed.issues.map(standardIssue) };
        const plan = withIds(parsed.value, aliases);
        const checked = validateLogicalPlan(plan, { details, limits });
        if (checked.ok) return { value: checked.value };
        return {
          issues: checked.issues
            .filter(({ severity }) => severity !== "warning")
            .map(standardIssue),
        };
      },
      jsonSchema: { input: () => ({ ...logicalPlanSchema }) },
    },
  };
}

function standardIssue({ code, path, message }: Issue): {
  message: string;
  path: (string | number)[];
} {
  return { message: `${code}: ${message}`, path: [...path] };
}

/** Replaces aliases of a context by ids. */
function withIds(plan: LogicalPlan, aliases: Readonly<Record<string, string>>): LogicalPlan {
  const steps = plan.steps.map((step): PlanStep => {
    if (step.op !== "scan" || !Object.hasOwn(aliases, step.resource)) return step;
    return { ...step, resource: aliases[step.resource] ?? step.resource };
  });
  return { ...plan, steps };
}
