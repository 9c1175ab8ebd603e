import type { ModelRequest, ToolDefinition } from "@ccl/core";
import { isRecord } from "@ccl/core/json";

/** What a model sees of a tool. */
export type ToolDescription = Pick<ToolDefinition, "name" | "description" | "inputSchema">;

/** Which tool a model has to call, if any. */
export type ToolChoice = NonNullable<ModelRequest["toolChoice"]>;

/** A tool as read from a request; one without a schema takes any object. */
export function describeTool(name: string, description: unknown, schema: unknown): ToolDescription {
  return {
    name,
    description: typeof description === "string" ? description : "",
    inputSchema: isRecord(schema) ? schema : { type: "object" },
  };
}

/** What a request asks of its tools. Without tools `auto` and `none` ask for nothing, and APIs refuse the field. */
export function askedTools({ tools = [], toolChoice }: ModelRequest): {
  tools?: readonly ToolDescription[] | undefined;
  toolChoice?: ToolChoice | undefined;
} {
  if (tools.length > 0) return { tools, toolChoice };
  return toolChoice === "auto" || toolChoice === "none" ? {} : { toolChoice };
}
