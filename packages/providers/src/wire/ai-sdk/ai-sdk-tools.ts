import { isRecord, type JsonRecord, stringAt } from "@ccl/core/json";

import { describeTool, type ToolChoice, type ToolDescription } from "../tool-description.ts";

/** Tools as function tools of a call of `doGenerate` or `doStream`. */
export function toAiSdkTools(tools: readonly ToolDescription[]): JsonRecord[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema,
  }));
}

/** The function tools of a call; tools of the provider have no schema and are left to it. */
export function fromAiSdkTools(tools: readonly unknown[]): ToolDescription[] {
  return tools.flatMap((tool) => {
    const name = stringAt(tool, "name");
    if (!isRecord(tool) || tool["type"] !== "function" || name === undefined) return [];
    return [describeTool(name, tool["description"], tool["inputSchema"])];
  });
}

/** The choice as `toolChoice`. */
export function toAiSdkToolChoice(choice: ToolChoice): JsonRecord {
  return typeof choice === "object" ? { type: "tool", toolName: choice.name } : { type: choice };
}

/** The choice of a call; undefined for one that core has no word for. */
export function fromAiSdkToolChoice(choice: unknown): ToolChoice | undefined {
  const type = stringAt(choice, "type");
  if (type === "auto" || type === "none" || type === "required") return type;
  const name = type === "tool" ? stringAt(choice, "toolName") : undefined;
  return name === undefined ? undefined : { name };
}
