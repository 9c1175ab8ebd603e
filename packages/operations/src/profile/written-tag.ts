import { stringAt } from "@ccl/core/json";

import type { OperationConfig, OperationDefinition } from "../operation/operation-definition.ts";

/** Returns the one tag that a configured operation may write: `params.writeArtifact.tag`, or its definition's tag. */
export function writtenTag(
  definition: OperationDefinition,
  config: OperationConfig,
): string | undefined {
  return stringAt(config.params["writeArtifact"], "tag") ?? definition.writesTag;
}
