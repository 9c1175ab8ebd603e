import type { Issue } from "@ccl/core";
import type { ResourceDetails } from "@ccl/catalog";
import type { StandardSchema } from "@ccl/structured-output";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { LogicalPlan, PlanStep } from "../plan/logical-plan.ts";
import { logicalPlanSchema } from "../schema/logical-plan-schema.ts";
import { validateLogicalPlan } from "../validate/validate-logical-plan.ts";
import type { AccessOptions } from "../validate/visible-resources.ts";

/** Options for checking a model's plan. */
export interface PlanSchemaOptions extends AccessOptions {
  details: Iterable<ResourceDetails>;
  /** Maps aliases shown in a context to resource ids. */
  aliases?: Readonly<Record<string, string>> | undefined;
}

/**
 * Creates a schema for `generateStructured` from `@ccl/structured-output`. It validates the answer as a plan, so a
 * repair request lists every issue with its code and path.
 */
export function planSchema(options: PlanSchemaOptions): StandardSchema<LogicalPlan> {
  const { aliases = {} } = options;
  return {
    "~standard": {
      vendor: "ccl",
      validate(value) {
        const parsed = parseLogicalPlan(value);
        if (!parsed.ok) return { issues: parsed.issues.map(standardIssue) };
        const plan = withIds(parsed.value, aliases);
        const checked = validateLogicalPlan(plan, options);
        if (checked.ok) return { value: plan };
        const errors = checked.issues.filter(({ severity }) => severity !== "warning");
        return { issues: errors.map(standardIssue) };
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

/** Replaces a context's aliases with resource ids. */
function withIds(plan: LogicalPlan, aliases: Readonly<Record<string, string>>): LogicalPlan {
  const steps = plan.steps.map((step): PlanStep => {
    if (step.op !== "scan" || !Object.hasOwn(aliases, step.resource)) return step;
    return { ...step, resource: aliases[step.resource] ?? step.resource };
  });
  return { ...plan, steps };
}
