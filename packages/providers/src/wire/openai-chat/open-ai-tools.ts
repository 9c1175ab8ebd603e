import { isRecord, type JsonRecord, recordAt, stringAt } from "@ccl/core/json";

import { describeTool, type ToolChoice, type ToolDescription } from "../tool-description.ts";

/** Tools as function tools of `/chat/completions`. */
export function toOpenAiTools(tools: readonly ToolDescription[]): JsonRecord[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
}

/** The function tools of a request; custom tools have no schema and are left to the provider. */
export function fromOpenAiTools(tools: readonly unknown[]): ToolDescription[] {
  return tools.flatMap((tool) => {
    const { name, description, parameters } = recordAt(tool, "function");
    return typeof name === "string" ? [describeTool(name, description, parameters)] : [];
  });
}

/** The choice as `tool_choice`. */
export function toOpenAiToolChoice(choice: ToolChoice): JsonRecord | string {
  return typeof choice === "string"
    ? choice
    : { type: "function", function: { name: choice.name } };
}

/** The choice of a request; undefined for one that core has no word for, such as a list of allowed tools. */
export function fromOpenAiToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  const name = isRecord(choice) ? stringAt(choice["function"], "name") : undefined;
  return name === undefined ? undefined : { name };
}
