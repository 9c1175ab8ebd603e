import { valueAt } from "@ccl/core/json";
import type { OperationCondition } from "../operation/operation-config.ts";

const refPattern = /^art(\.[^.\s]{1,200}){1,32}$/;

/** The tag and the keys of a reference like `art.flags.inCombat`; undefined where it is none. */
function conditionKeys(ref: string): string[] | undefined {
  return refPattern.test(ref) ? ref.split(".").slice(1) : undefined;
}

/** Whether a condition holds. What does not exist equals nothing, so that only `not` lets it hold. */
export function conditionHolds(
  { ref, equals = true, not = false }: OperationCondition,
  artifacts: Readonly<Record<string, { value: unknown }>>,
): boolean {
  const [tag, ...keys] = conditionKeys(ref) ?? [];
  const artifact = tag !== undefined && Object.hasOwn(artifacts, tag) ? artifacts[tag] : undefined;
  const holds = artifact !== undefined && valueAt(artifact.value, keys) === equals;
  return holds !== not;
}

/** Whether all conditions hold, as they have to for an operation to run. */
export function conditionsHold(
  conditions: readonly OperationCondition[],
  artifacts: Readonly<Record<string, { value: unknown }>>,
): boolean {
  return conditions.every((condition) => conditionHolds(condition, artifacts));
}
