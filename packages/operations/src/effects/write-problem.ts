import type { WriteArtifactParams } from "./operation-effect.ts";

/** Settings of a write that contradict each other. */
export interface WriteProblem {
  code: "run_only_retention" | "unused_inclusion";
  field: "retention" | "inclusion";
  message: string;
}

/** Describes what is wrong with the settings of a write. Undefined if they are valid. */
export function problemOfWrite({
  persisted,
  usage,
  retention,
  inclusion,
}: Partial<WriteArtifactParams>): WriteProblem | undefined {
  if (persisted === false && retention !== undefined) {
    const message =
      "An artifact that is gone with its run has no history; leave retention out, or set persisted.";
    return { code: "run_only_retention", field: "retention", message };
  }
  if (inclusion === undefined || (usage !== "ui_only" && usage !== "internal")) return undefined;
  const message = `An artifact of usage ${usage} stands in no prompt; leave inclusion out, or set prompt_only or prompt+ui.`;
  return { code: "unused_inclusion", field: "inclusion", message };
}
