import type { Part, ToolCall } from "@ccl/core";

interface Said {
  content?: string | readonly Part[] | undefined;
  toolCalls?: readonly ToolCall[] | undefined;
}

/**
 * Renders a message as text. Shows the kind of each part that has no text, and puts each tool call
 * on its own line.
 */
export function textOfMessage({ content = "", toolCalls = [] }: Said): string {
  const parts = typeof content === "string" ? [{ text: content }] : content;
  const text = parts.map((part) => ("text" in part ? part.text : `[${part.type}]`)).join("");
  const calls = toolCalls.map(({ name, arguments: args }) => `${name}(${args})`);
  return [text, ...calls].filter((line) => line !== "").join("\n");
}
