import type { ModelRequest, ToolDefinition } from "@ccl/core";
import { isRecord, type JsonRecord, stringAt } from "@ccl/core/json";

/** What a model sees of a tool. */
type ToolDescription = Pick<ToolDefinition, "name" | "description" | "inputSchema">;

/** Tools as function tools of `/v1/responses`. */
export function toResponsesTools(tools: readonly ToolDescription[]): JsonRecord[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
    strict: false,
  }));
}

/** The function tools of a request; tools of the provider have no schema and are left to it. */
export function fromResponsesTools(tools: readonly unknown[]): ToolDescription[] {
  return tools.flatMap((tool) => {
    const name = stringAt(tool, "name");
    if (!isRecord(tool) || tool["type"] !== "function" || name === undefined) return [];
    const { parameters } = tool;
    const inputSchema = isRecord(parameters) ? parameters : { type: "object" };
    return [{ name, description: stringAt(tool, "description") ?? "", inputSchema }];
  });
}

/** The choice as `tool_choice`, which names a function beside its type. */
export function toResponsesToolChoice(choice: NonNullable<ModelRequest["toolChoice"]>): unknown {
  return typeof choice === "string" ? choice : { type: "function", name: choice.name };
}
