import { throwIfAborted } from "@ccl/core/async";
import { LanguageModelError, type Issue, type LanguageModel, type ModelUsage } from "@ccl/core";
import { generateStructured, type StructuredAttempt } from "@ccl/structured-output";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import type { ValidLogicalPlan } from "../plan/typed-plan.ts";
import type { PlanLimits } from "../parse/plan-limits.ts";
import { QueryError } from "../query-error.ts";
import { renderLogicalPlan } from "../render/render-logical-plan.ts";
import type { ValidationLimits } from "../validate/validate-logical-plan.ts";
import { visibleResources, type AccessOptions } from "../validate/visible-resources.ts";
import { planMessages, type PlanContext } from "./plan-prompt.ts";
import { planSchema } from "./plan-schema.ts";
import { readingYaml } from "./reading-yaml.ts";

/** The task, the model, and how often it may repair its plan. */
export interface CompilePlanOptions extends AccessOptions {
  task: string;
  context: PlanContext;
  model: LanguageModel;
  /** How many repairs the model may be asked for. 2 by default. */
  maxRepairs?: number | undefined;
  limits?: (PlanLimits & ValidationLimits) | undefined;
  signal?: AbortSignal | undefined;
}

/** A plan that a model wrote and that passed the check. */
export interface CompiledPlan {
  plan: LogicalPlan;
  /** The plan as canonical YAML. */
  yaml: string;
  valid: ValidLogicalPlan;
  warnings: Issue[];
  attempts: StructuredAttempt[];
  /** Sum over all attempts. */
  usage: ModelUsage;
}

/**
 * Asks a model for a plan, checks it, and sends the issues back until it is valid. The model sees only context and task.
 * @throws QueryError `plan_not_compiled` with the last issues, `aborted`, and the model's LanguageModelError
 */
export async function compilePlan(options: CompilePlanOptions): Promise<CompiledPlan> {
  const { task, context, model, maxRepairs = 2, signal } = options;
  throwIfAborted(signal, QueryError);
  if (task.trim() === "")
    throw new QueryError("invalid_options", "The task is empty; say what the plan is to answer.");
  if (!Number.isSafeInteger(maxRepairs) || maxRepairs < 0)
    throw new QueryError(
      "invalid_options",
      `maxRepairs is a whole number from 0, not ${maxRepairs}.`,
    );
  const visible = [...visibleResources(context.details, options).values()];
  const result = await generateStructured(readingYaml(model), {
    schema: planSchema({ ...options, details: visible, aliases: context.aliases ?? {} }),
    messages: planMessages(task, { ...context, details: visible }),
    maxRepairs,
    schemaName: "plan",
    request: { temperature: 0 },
    signal,
  }).catch((error: unknown) => {
    if (LanguageModelError.isInstance(error) && error.code === "aborted")
      throwIfAborted(signal, QueryError);
    throw error;
  });
  const { attempts, usage } = result;
  if (result.ok) {
    const valid = result.value;
    return {
      plan: valid.plan,
      yaml: renderLogicalPlan(valid.plan),
      valid,
      warnings: valid.warnings,
      attempts,
      usage,
    };
  }
  const reasons = result.issues.slice(0, 3).map(({ message }) => message);
  throw new QueryError(
    "plan_not_compiled",
    `No plan of ${attempts.length} answers holds: ${reasons.join(" ").slice(0, 600)}`,
    {
      details: { issues: result.issues, attempts: attempts.length },
    },
  );
}
