import { compareCodeUnits } from "@ccl/core";

import type { OperationConfig } from "../operation/operation-config.ts";
import type { Hook, OperationDefinition, Trigger } from "../operation/operation-definition.ts";
import { OperationsError } from "../operations-error.ts";
import type { OperationProfile, ProfileOperation } from "../profile/operation-profile.ts";
import { writtenTag } from "../profile/written-tag.ts";

/** One operation in one hook of a run. */
export interface PlannedOperation {
  /** Its index in `RunPlan.operations`. */
  index: number;
  operationId: string;
  hook: Hook;
  definition: OperationDefinition;
  config: OperationConfig;
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
interface LeftOutOperation {
  operationId: string;
  hook: Hook;
  definition: OperationDefinition;
  config: OperationConfig;
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
    for (const planned of planHook(active, hook, operations.length)) operations.push(planned);
    if (hook === "before_main_llm") beforeCount = operations.length;
  }
  return { trigger, operations, beforeCount, leftOut };
}

interface HookOperation extends ProfileOperation {
  definition: OperationDefinition;
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

/** Kahn's algorithm, taking ready operations in `sorted` order. Ranks are positions in `sorted`. */
function planHook(sorted: readonly HookOperation[], hook: Hook, from: number): PlannedOperation[] {
  const ranks = new Map(sorted.map(({ operationId }, rank) => [operationId, rank]));
  const dependencies: number[][] = [];
  const dependents: number[][] = sorted.map(() => []);
  const unreachable: boolean[] = [];
  for (const [rank, { config }] of sorted.entries()) {
    const named = new Set(config.dependsOn);
    const found: number[] = [];
    for (const id of named) {
      const dependency = ranks.get(id);
      if (dependency === undefined) continue;
      found.push(dependency);
      dependents[dependency]?.push(rank);
    }
    dependencies.push(found);
    unreachable.push(found.length < named.size);
  }
  const order = topologicalOrder(dependencies, dependents);
  if (order.length < sorted.length) {
    throw new OperationsError(
      "invalid_profile",
      `The dependencies in ${hook} form a cycle; validateProfile names it.`,
    );
  }
  const places: number[] = [];
  for (const [place, rank] of order.entries()) places[rank] = from + place;
  const placesOf = (found: readonly number[] | undefined): number[] =>
    (found ?? []).map((rank) => places[rank] ?? -1).sort((left, right) => left - right);
  return order.flatMap((rank, place) => {
    const operation = sorted[rank];
    if (operation === undefined) return [];
    const tag = writtenTag(operation.definition, operation.config);
    return {
      index: from + place,
      operationId: operation.operationId,
      hook,
      definition: operation.definition,
      config: operation.config,
      tag,
      dependencies: placesOf(dependencies[rank]),
      dependents: placesOf(dependents[rank]),
      isUnreachable: unreachable[rank] === true,
    };
  });
}

function topologicalOrder(
  dependencies: readonly number[][],
  dependents: readonly number[][],
): number[] {
  const waitingFor = dependencies.map(({ length }) => length);
  const ready: number[] = [];
  for (const [rank, count] of waitingFor.entries()) if (count === 0) ready.push(rank);
  const order: number[] = [];
  for (let rank = ready.shift(); rank !== undefined; rank = ready.shift()) {
    order.push(rank);
    for (const dependent of dependents[rank] ?? []) {
      const left = (waitingFor[dependent] ?? 0) - 1;
      waitingFor[dependent] = left;
      if (left > 0) continue;
      const at = ready.findIndex((other) => other > dependent);
      ready.splice(at < 0 ? ready.length : at, 0, dependent);
    }
  }
  return order;
}
