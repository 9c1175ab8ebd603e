import type { ArtifactWrite } from "./operation-artifact.ts";

/** What makes a write worth a version of its own. */
export type ArtifactContent = Pick<
  ArtifactWrite,
  "value" | "usage" | "semantics" | "inclusion" | "retention"
>;

/** True where a write would change nothing. */
export function hasSameContent(left: ArtifactContent, right: ArtifactContent): boolean {
  return (
    left.usage === right.usage &&
    left.semantics === right.semantics &&
    isSame(left.inclusion, right.inclusion) &&
    isSame(left.retention, right.retention) &&
    isSame(left.value, right.value)
  );
}

/** Of two JSON values; fields that are undefined are none. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const fields = Object.entries(left).filter(isDefined);
  if (fields.length !== Object.entries(right).filter(isDefined).length) return false;
  return fields.every(
    ([key, field]) => Object.hasOwn(right, key) && isSame(field, Reflect.get(right, key)),
  );
}

const isDefined = ([, field]: readonly [string, unknown]): boolean => field !== undefined;
