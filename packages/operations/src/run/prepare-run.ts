import { stringAt } from "@ccl/core/json";

import { operationsOf } from "../profile/defined-profile.ts";
import { defaultRenderer } from "../liquid/create-template-renderer.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { Trigger } from "../operation/operation-definition.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import { OperationsError } from "../operations-error.ts";
import type { RunStep } from "../ports/run-step.ts";
import type { AbortRequest, RunInput, RunLease } from "../ports/run-store.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import { validateProfile, type ValidProfile } from "../profile/validate-profile.ts";
import type { ConcurrencyClass } from "./concurrency-limiter.ts";
import type { EngineServices } from "./engine-services.ts";
import { type PlannedOperation, planRun, type RunPlan } from "./plan-run.ts";

/** A planned operation, its handler, and the limits that it counts towards. */
export interface PreparedOperation {
  readonly operation: PlannedOperation;
  readonly handler: OperationHandler;
  readonly limits: ConcurrencyClass;
}

/** A plan whose operations can be executed. */
export interface PreparedPlan {
  plan: RunPlan;
  /** By index of the plan. */
  operations: readonly PreparedOperation[];
}

/** A run whose lease this worker has. */
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

/** Creates plans, and caches those of immutable profiles. */
export interface PlanMaker {
  /** @throws OperationsError `invalid_profile` with `details.issues` */
  validate(profile: OperationProfile): ValidProfile;
  /** @throws OperationsError `invalid_profile` if an operation has no handler */
  planOf(profile: ValidProfile | undefined, trigger: Trigger): PreparedPlan;
}

/** Creates the plan maker of an engine. */
export function createPlanMaker({
  registry,
  renderer,
  handlerOf,
  limiter,
}: EngineServices): PlanMaker {
  const plans = new WeakMap<ValidProfile, Partial<Record<Trigger, PreparedPlan>>>();
  const prepare = (profile: ValidProfile | undefined, trigger: Trigger): PreparedPlan => {
    const plan = planRun(profile, { trigger, registry });
    const operations = plan.operations.map((operation): PreparedOperation => {
      const { operationId, definition, config } = operation;
      const registered = registry.find(operationId);
      const handler = registered && handlerOf(registered);
      const limits = limiter.classOf(definition.kind, stringAt(config.params, "providerRef"));
      if (handler !== undefined) return { operation, handler, limits };
      const message = `Operation ${JSON.stringify(operationId)} has no handler; register one, or give the engine what the kind ${JSON.stringify(definition.kind)} needs.`;
      throw new OperationsError("invalid_profile", message);
    });
    return { plan, operations };
  };
  const planFor = (profile: ValidProfile, trigger: Trigger): PreparedPlan => {
    const known = plans.get(profile) ?? {};
    plans.set(profile, known);
    const plan = known[trigger] ?? prepare(profile, trigger);
    known[trigger] = plan;
    return plan;
  };
  // A profile of `defineProfile` is immutable and keeps its operations.
  const validOf = new WeakMap<OperationProfile, ValidProfile>();
  return {
    validate(profile) {
      const known = validOf.get(profile);
      if (known !== undefined) return known;
      registry.define(profile);
      const checked = validateProfile(profile, registry, {
        renderer: renderer ?? defaultRenderer(),
      });
      if (checked.ok) {
        if (operationsOf(profile).length > 0) {
          validOf.set(profile, checked.value);
          for (const trigger of ["generate", "regenerate"] as const)
            planFor(checked.value, trigger);
        }
        return checked.value;
      }
      const { issues } = checked;
      const errors = issues.filter(({ severity }) => severity !== "warning");
      const lines = errors.slice(0, 5).map(({ path, message }) => `${path.join(".")}: ${message}`);
      const more = errors.length > 5 ? ` And ${errors.length - 5} more.` : "";
      throw new OperationsError(
        "invalid_profile",
        `The profile can't be run. ${lines.join(" ")}${more}`,
        {
          details: { issues },
        },
      );
    },
    planOf: (profile, trigger) =>
      profile === undefined ? prepare(undefined, trigger) : planFor(profile, trigger),
  };
}
