import { isSameJson } from "@ccl/core/json";

import type { ArtifactWrite } from "./operation-artifact.ts";

/** What makes a write worth a version of its own. */
export type ArtifactContent = Pick<
  ArtifactWrite,
  "value" | "contentType" | "usage" | "semantics" | "inclusion" | "retention"
>;

/** True where a write would change nothing. */
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
