import { isRecord, type JsonRecord, stringAt } from "@ccl/core/json";

import { describeTool, type ToolChoice, type ToolDescription } from "../tool-description.ts";

/** Tools as those of `/v1/messages`. */
export function toAnthropicTools(tools: readonly ToolDescription[]): JsonRecord[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
}

/** The tools of a request that the client runs; server tools have no schema and are left to the provider. */
export function fromAnthropicTools(tools: readonly unknown[]): ToolDescription[] {
  return tools.flatMap((tool) => {
    const name = stringAt(tool, "name");
    if (!isRecord(tool) || !isRecord(tool["input_schema"]) || name === undefined) return [];
    return [describeTool(name, tool["description"], tool["input_schema"])];
  });
}

/** The choice as `tool_choice`. */
export function toAnthropicToolChoice(choice: ToolChoice): JsonRecord {
  if (typeof choice === "object") return { type: "tool", name: choice.name };
  return { type: choice === "required" ? "any" : choice };
}

/** The choice of a request; undefined for one that core has no word for. */
export function fromAnthropicToolChoice(choice: unknown): ToolChoice | undefined {
  const type = stringAt(choice, "type");
  if (type === "any") return "required";
  if (type === "auto" || type === "none") return type;
  const name = type === "tool" ? stringAt(choice, "name") : undefined;
  return name === undefined ? undefined : { name };
}
