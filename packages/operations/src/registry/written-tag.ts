import type { OperationConfig } from "../operation/operation-config.ts";
import type { OperationDefinition } from "../operation/operation-definition.ts";

/** The one tag that an operation may write as it is set: `params.writeArtifact.tag`, else what its definition says. */
export function writtenTag(
  definition: OperationDefinition,
  config: OperationConfig,
): string | undefined {
  const declared = config.params["writeArtifact"];
  if (typeof declared !== "object" || declared === null || !("tag" in declared))
    return definition.writesTag;
  return typeof declared.tag === "string" ? declared.tag : definition.writesTag;
}
