import { compareCodeUnits } from "@ccl/core";

import type {
  Hook,
  OperationConfig,
  OperationDefinition,
  OperationHandler,
  Trigger,
} from "../operation/operation-definition.ts";
import { OperationsError } from "../operations-error.ts";
import type { OperationProfile, ProfileOperation } from "../profile/operation-profile.ts";
import { writtenTag } from "../profile/written-tag.ts";
import { operationsOf } from "../profile/registered-operation.ts";
import { type ValidProfile, validateProfile } from "../profile/validate-profile.ts";
import type { EngineServices } from "./engine-options.ts";

/** An operation of a profile, and its definition. */
interface HookOperation extends ProfileOperation {
  definition: OperationDefinition;
}

/** One operation in one hook of a run. */
export interface PlannedOperation extends HookOperation {
  /** Its index in `RunPlan.operations`. */
  index: number;
  hook: Hook;
  /** The one tag that it may write. */
  tag?: string | undefined;
  /** Indexes of the operations that it depends on, ascending. */
  dependencies: readonly number[];
  /** Indexes of the operations that depend on it, ascending. */
  dependents: readonly number[];
  /** True if it depends on an operation that this run leaves out. */
  isUnreachable: boolean;
}

/** An operation that is disabled, or only runs on the other trigger. */
interface LeftOutOperation extends HookOperation {
  hook: Hook;
  reason: "disabled" | "trigger_mismatch";
}

/** What a run will execute. */
export interface RunPlan {
  trigger: Trigger;
  /** Operations before the main call come first. Each hook is in commit order, which is a topological order. */
  operations: readonly PlannedOperation[];
  /** Number of operations that run before the main call. */
  beforeCount: number;
  /** Sorted by hook in the same order, then by `(order, operationId)`. */
  leftOut: readonly LeftOutOperation[];
}

/** Options of `planRun`. */
export interface PlanRunOptions {
  trigger: Trigger;
  registry: KnownOperations;
}

/** The part of a registry that plans use. */
interface KnownOperations {
  find(operationId: string): { definition: OperationDefinition } | undefined;
}

const hooks: readonly Hook[] = ["before_main_llm", "after_main_llm"];

/**
 * Plans a run of the profile. Pure. Each hook uses the lexicographically smallest topological order by `(order,
 * operationId)`, with ids in code units. Without a profile, or with a disabled one, the plan is empty.
 * @throws OperationsError `invalid_profile` if `validateProfile` rejects it, for example for an unknown operation or a
 * cycle
 */
export function planRun(
  profile: OperationProfile | undefined,
  { trigger, registry }: PlanRunOptions,
): RunPlan {
  const operations: PlannedOperation[] = [];
  const leftOut: LeftOutOperation[] = [];
  let beforeCount = 0;
  const sorted = profile?.enabled === true ? [...profile.operations].sort(byOrder) : [];
  for (const hook of hooks) {
    const here = sorted.filter(({ config }) => config.hooks.includes(hook));
    const active: HookOperation[] = [];
    for (const { operationId, config } of here) {
      const definition = definitionOf(registry, operationId);
      const reason = leftOutReason(config, trigger);
      if (reason === undefined) active.push({ operationId, config, definition });
      else leftOut.push({ operationId, hook, definition, config, reason });
    }
    operations.push(...planHook(active, hook, operations.length));
    if (hook === "before_main_llm") beforeCount = operations.length;
  }
  return { trigger, operations, beforeCount, leftOut };
}

function byOrder(left: ProfileOperation, right: ProfileOperation): number {
  return (
    left.config.order - right.config.order || compareCodeUnits(left.operationId, right.operationId)
  );
}

function leftOutReason(
  { enabled, triggers }: OperationConfig,
  trigger: Trigger,
): LeftOutOperation["reason"] | undefined {
  if (!enabled) return "disabled";
  return triggers !== undefined && !triggers.includes(trigger) ? "trigger_mismatch" : undefined;
}

function definitionOf(registry: KnownOperations, operationId: string): OperationDefinition {
  const registered = registry.find(operationId);
  if (registered !== undefined) return registered.definition;
  throw new OperationsError(
    "invalid_profile",
    `Operation ${JSON.stringify(operationId)} is not registered.`,
  );
}

interface Node extends HookOperation {
  rank: number;
  index: number;
  waitingFor: number;
  isUnreachable: boolean;
  dependencies: Node[];
  dependents: Node[];
}

/** Kahn's algorithm, taking ready operations in `sorted` order. */
function planHook(sorted: readonly HookOperation[], hook: Hook, from: number): PlannedOperation[] {
  const nodes = sorted.map((operation, rank): Node => {
    const nothing = { index: -1, waitingFor: 0, isUnreachable: false };
    return { ...operation, rank, ...nothing, dependencies: [], dependents: [] };
  });
  const byId = new Map(nodes.map((node) => [node.operationId, node]));
  for (const node of nodes)
    for (const id of new Set(node.config.dependsOn)) {
      const dependency = byId.get(id);
      if (dependency === undefined) node.isUnreachable = true;
      else {
        node.waitingFor = node.dependencies.push(dependency);
        dependency.dependents.push(node);
      }
    }
  const ready = nodes.filter(({ waitingFor }) => waitingFor === 0);
  const order: Node[] = [];
  for (let node = ready.shift(); node !== undefined; node = ready.shift()) {
    node.index = from + order.length;
    order.push(node);
    for (const dependent of node.dependents) {
      dependent.waitingFor -= 1;
      if (dependent.waitingFor > 0) continue;
      const at = ready.findIndex(({ rank }) => rank > dependent.rank);
      ready.splice(at < 0 ? ready.length : at, 0, dependent);
    }
  }
  if (order.length < sorted.length) {
    throw new OperationsError(
      "invalid_profile",
      `The dependencies in ${hook} form a cycle; validateProfile names it.`,
    );
  }
  const indexesOf = (some: readonly Node[]): number[] =>
    some.map(({ index }) => index).sort((left, right) => left - right);
  return order.map(({ operationId, config, definition, index, isUnreachable, ...node }) => {
    const tag = writtenTag(definition, config);
    const dependencies = indexesOf(node.dependencies);
    const dependents = indexesOf(node.dependents);
    const operation = { index, operationId, hook, definition, config, tag };
    return { ...operation, dependencies, dependents, isUnreachable };
  });
}

/** A plan whose operations are ready to execute. */
export interface PreparedPlan {
  /** The profile that was planned. */
  profile: ValidProfile | undefined;
  plan: RunPlan;
  /** By index in the plan. */
  handlers: readonly OperationHandler[];
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
