import type { ToolBridge } from "@ccl/context-compiler/tool-interrupt";
import type { ToolDefinition } from "@ccl/core";

import { OperationError } from "../kinds/operation-error.ts";

/** Operations have a limit of their own (`timeoutMs`), which ends a call by its signal. */
const timeoutMs = 3_600_000;

/**
 * The tools of a bridge for operations of kind `tool`: those of an MCP server by `mcpToolBridge(client)`. Each gives the
 * structured value of its answer, or else its content; an answer that says it failed is `provider_error`.
 */
export async function bridgedTools(
  bridge: ToolBridge,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<ToolDefinition[]> {
  const found = await bridge.tools({ signal });
  return found.map(({ name, description = "", inputSchema, outputSchema }) => ({
    name,
    description,
    inputSchema: inputSchema ?? { type: "object" },
    outputSchema,
    async execute(input, { callId = name, signal: ended = new AbortController().signal }) {
      const answer = await bridge.call(name, input, { callId, signal: ended, timeoutMs });
      const { content, structured = content, isError } = answer;
      if (isError !== true) return structured;
      const text = typeof content === "string" ? content : JSON.stringify(content);
      throw new OperationError("provider_error", text);
    },
  }));
}
