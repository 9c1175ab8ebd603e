import type { Part, ToolCall } from "@ccl/core";

interface Said {
  content?: string | readonly Part[] | undefined;
  toolCalls?: readonly ToolCall[] | undefined;
}

/** What a message says, a part without text by its kind, and a line for each call of a tool. */
export function textOfMessage({ content = "", toolCalls = [] }: Said): string {
  const parts = typeof content === "string" ? [{ text: content }] : content;
  const text = parts.map((part) => ("text" in part ? part.text : `[${part.type}]`)).join("");
  const calls = toolCalls.map(({ name, arguments: given }) => `${name}(${given})`);
  return [text, ...calls].filter((line) => line !== "").join("\n");
}
