import type { ToolBridge } from "@ccl/context-compiler/tool-interrupt";
import type { ToolDefinition } from "@ccl/core";

import { OperationError } from "../kinds/operation-error.ts";

/** Operations set their own limit: `timeoutMs` ends a call through its signal. */
const timeoutMs = 3_600_000;

/**
 * Converts the tools of a bridge to tools for operations of kind `tool`. `mcpToolBridge(client)` bridges an MCP server.
 * Each tool returns the structured value of its result, or the content if there is none. A result that reports a
 * failure becomes `provider_error`.
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
