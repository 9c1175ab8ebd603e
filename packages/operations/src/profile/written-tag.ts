import type { OperationConfig, OperationDefinition } from "../operation/operation-definition.ts";

/** Returns the one tag that a configured operation may write: `params.writeArtifact.tag`, or its definition's tag. */
export function writtenTag(
  definition: OperationDefinition,
  config: OperationConfig,
): string | undefined {
  const declared = config.params["writeArtifact"];
  if (typeof declared !== "object" || declared === null || !("tag" in declared))
    return definition.writesTag;
  return typeof declared.tag === "string" ? declared.tag : definition.writesTag;
}
