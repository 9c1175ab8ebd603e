import type { OrchestrateOptions } from "./run-orchestrate.ts";
import type { ServerTool } from "./server-tool.ts";

/** `orchestrate_compiled`: another model reads, and the client gets its answer with handles of what it read. */
export function orchestrateTool(options: OrchestrateOptions): ServerTool {
  return {
    name: "orchestrate_compiled",
    description: "Lets another model work out a task with these tools.",
    inputSchema: {
      type: "object",
      properties: {
        task: { type: "string" },
      },
      required: ["task"],
    },
    annotations: { readOnlyHint: true },
    async run(input, call) {
      const { orchestrate } = await import("./run-orchestrate.ts");
      return await orchestrate(input, call, options);
    },
  };
}
