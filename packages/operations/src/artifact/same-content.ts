import { canonicalJson } from "@ccl/core";

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
    textOf(left) === textOf(right)
  );
}

function textOf({ value, inclusion, retention }: ArtifactContent): string {
  return canonicalJson([value, inclusion ?? null, retention ?? null]);
}
