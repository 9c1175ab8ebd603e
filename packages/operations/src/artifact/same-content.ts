import { isSameJson } from "@ccl/core/json";

import type { ArtifactWrite } from "./operation-artifact.ts";

/** A write that changes one of these fields creates a version. */
export type ArtifactContent = Pick<
  ArtifactWrite,
  "value" | "contentType" | "usage" | "semantics" | "inclusion" | "retention"
>;

/** True if a write would change nothing. */
export function hasSameContent(left: ArtifactContent, right: ArtifactContent): boolean {
  return (
    left.usage === right.usage &&
    left.semantics === right.semantics &&
    left.contentType === right.contentType &&
    isSameJson(left.inclusion, right.inclusion) &&
    isSameJson(left.retention, right.retention) &&
    isSameJson(left.value, right.value)
  );
}
