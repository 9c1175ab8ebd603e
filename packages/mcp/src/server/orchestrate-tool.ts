import type { ArtifactStore } from "@ccl/artifact-store";
import type { LanguageModel, TokenCounter } from "@ccl/core";

import type { ServerTool } from "./server-tool.ts";
import type { Opener } from "./source.ts";

/** What a model works with. */
export interface OrchestrateOptions {
  model: Opener<LanguageModel>;
  /** What it may call beside the tools for its own artifacts; none of them writes. */
  tools: readonly ServerTool[];
  store: Opener<ArtifactStore>;
  counter: Opener<TokenCounter>;
}

/** `orchestrate_compiled`: another model does the reading, and its client gets the answer with handles of what was read. */
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
    outputSchema: { type: "object", properties: { artifacts: { type: "array" } } },
    annotations: { readOnlyHint: true },
    async run(input, call) {
      const { orchestrate } = await import("./run-orchestrate.ts");
      return await orchestrate(input, call, options);
    },
  };
}
