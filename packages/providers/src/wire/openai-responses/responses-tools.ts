import { isRecord, type JsonRecord, stringAt } from "@ccl/core/json";

import { describeTool, type ToolChoice, type ToolDescription } from "../tool-description.ts";

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
    return [describeTool(name, tool["description"], tool["parameters"])];
  });
}

/** The choice as `tool_choice`, which names a function beside its type. */
export function toResponsesToolChoice(choice: ToolChoice): JsonRecord | string {
  return typeof choice === "string" ? choice : { type: "function", name: choice.name };
}

/** The choice of a request; undefined for one that core has no word for, such as a tool of the provider. */
export function fromResponsesToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  const name = stringAt(choice, "type") === "function" ? stringAt(choice, "name") : undefined;
  return name === undefined ? undefined : { name };
}
