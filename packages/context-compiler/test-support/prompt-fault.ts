import type { ChatMessage } from "@ccl/core";

/**
 * Describes what a strict provider would reject in a prompt, independently of the code under test.
 * Undefined if nothing.
 */
export function promptFault(messages: readonly ChatMessage[]): string | undefined {
  const waiting = new Set<string>();
  let hasSpoken = false;
  for (const [at, message] of messages.entries()) {
    const { role, toolCallId, toolCalls = [] } = message;
    if (role !== "tool" && waiting.size > 0) return `a call is not answered before message ${at}`;
    if (role === "tool" && !waiting.delete(toolCallId ?? ""))
      return `message ${at} answers no call`;
    if (textOf(message).trim() === "" && toolCalls.length === 0) return `message ${at} is empty`;
    if (message.toolCalls !== undefined && (role !== "assistant" || toolCalls.length === 0))
      return `calls at ${at}`;
    for (const { id } of toolCalls) {
      if (waiting.has(id)) return `message ${at} makes one call twice`;
      waiting.add(id);
    }
    const isOperator = role === "system" || role === "developer";
    if (!isOperator && !hasSpoken && role !== "user") return `message ${at} should be the user's`;
    hasSpoken ||= !isOperator;
  }
  return waiting.size > 0 ? "the last call is not answered" : undefined;
}

/** All text of a message. An image or a file counts as content. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part ? part.text : `(${part.type})`)).join("\n");
}
