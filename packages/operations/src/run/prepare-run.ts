import type { EventFeed } from "../events/event-feed.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { Trigger } from "../operation/operation-definition.ts";
import { OperationsError } from "../operations-error.ts";
import type { AbortRequest, RunInput, RunLease, RunStep } from "../ports/run-store.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import { operationsOf } from "../profile/registered-operation.ts";
import { validateProfile, type ValidProfile } from "../profile/validate-profile.ts";
import type { EngineServices } from "./engine-options.ts";
import { planRun, type RunPlan } from "./plan-run.ts";

/** A plan whose operations are ready to execute. */
export interface PreparedPlan {
  /** The profile that was planned. */
  profile: ValidProfile | undefined;
  plan: RunPlan;
  /** By index in the plan. */
  handlers: readonly OperationHandler[];
}

/** A run whose lease this worker holds. */
export interface DrivenRun extends PreparedPlan {
  services: EngineServices;
  input: RunInput;
  lease: RunLease;
  feed: EventFeed;
  /** Completed steps and all events of the run. Absent for a new run. */
  former?: { steps: readonly RunStep[]; events: readonly RunEvent[] } | undefined;
  /** An abort that was requested before the worker started. */
  abort?: AbortRequest | undefined;
}

/**
 * Validates a profile and plans its runs.
 * @throws OperationsError `invalid_profile`, with `details.issues` or because an operation has no handler
 */
export type PlanMaker = (profile: OperationProfile | undefined, trigger: Trigger) => PreparedPlan;

/** Creates the plan maker of an engine. Caches the plans of profiles from `defineProfile`, which are immutable. */
export function createPlanMaker({ registry, handlerOf }: EngineServices): PlanMaker {
  const cached = new WeakMap<OperationProfile, Partial<Record<Trigger, PreparedPlan>>>();
  const prepare = (given: OperationProfile | undefined, trigger: Trigger): PreparedPlan => {
    const profile = given && validated(given);
    const plan = planRun(profile, { trigger, registry });
    const handlers = plan.operations.map(({ operationId, definition }) => {
      const registered = registry.find(operationId);
      const handler = registered && handlerOf(registered);
      if (handler !== undefined) return handler;
      const message = `Operation ${JSON.stringify(operationId)} has no handler; register one, or give the engine what the kind ${JSON.stringify(definition.kind)} needs.`;
      throw new OperationsError("invalid_profile", message);
    });
    return { profile, plan, handlers };
  };
  const validated = (profile: OperationProfile): ValidProfile => {
    registry.define(profile);
    const checked = validateProfile(profile, registry);
    if (checked.ok) return checked.value;
    const { issues } = checked;
    const errors = issues.filter(({ severity }) => severity !== "warning");
    const lines = errors.slice(0, 5).map(({ path, message }) => `${path.join(".")}: ${message}`);
    const more = errors.length > 5 ? ` And ${errors.length - 5} more.` : "";
    const message = `The profile can't be run. ${lines.join(" ")}${more}`;
    throw new OperationsError("invalid_profile", message, { details: { issues } });
  };
  return (profile, trigger) => {
    if (profile === undefined || operationsOf(profile).length === 0)
      return prepare(profile, trigger);
    const plans = cached.get(profile) ?? {};
    const plan = plans[trigger] ?? prepare(profile, trigger);
    cached.set(profile, { ...plans, [trigger]: plan });
    return plan;
  };
}
