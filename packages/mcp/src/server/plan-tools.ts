import type { TokenCounter } from "@ccl/core";
import type { FileWorkspace } from "@ccl/plan-protocol/node";

import type { PlanCall } from "./run-plan.ts";
import { readingTool, type ServerTool, type ServerToolCall } from "./server-tool.ts";
import { openOnce, type Opener, type Source } from "./source.ts";

/** The folder that plans modify. */
export interface PlanSource {
  workspace: Source<FileWorkspace>;
  /** Whether to list `plan_apply`. The user is still asked before each plan. */
  allowApply?: boolean | undefined;
}

const plan = {
  type: "string",
  description:
    "a unified diff, *** Begin Patch, or a path and below it <<<<<<< SEARCH, old lines, =======, new lines, >>>>>>> REPLACE",
};

/** Creates `plan_preview`, and `plan_apply` if allowed. */
export function planTools(
  { workspace, allowApply = false }: PlanSource,
  counter: Opener<TokenCounter>,
): ServerTool[] {
  const open = openOnce(workspace);
  const callOf = async (call: ServerToolCall): Promise<PlanCall> => ({
    workspace: await open(),
    counter: await counter(),
    call,
  });
  const preview = readingTool(
    {
      name: "plan_preview",
      title: "Preview changes",
      description: "Checks changes to files and shows their diff and hash; writes nothing.",
      properties: { plan },
      required: ["plan"],
    },
    async (input, call) => {
      const { previewPlan } = await import("./run-plan.ts");
      return previewPlan(input, await callOf(call));
    },
  );
  const apply: ServerTool = {
    name: "plan_apply",
    title: "Apply changes",
    description: "Applies a plan with its hash of plan_preview, once the user agrees.",
    inputSchema: {
      type: "object",
      properties: { plan: { type: "string" }, planHash: { type: "string" } },
      required: ["plan", "planHash"],
    },
    annotations: { destructiveHint: true },
    async run(input, call) {
      const { applyPlan } = await import("./run-plan.ts");
      return await applyPlan(input, await callOf(call));
    },
  };
  return allowApply ? [preview, apply] : [preview];
}
