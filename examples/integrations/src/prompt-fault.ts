import type { ChatMessage } from "@ccl/core";

/** What a strict provider would reject in a prompt. Undefined if nothing. */
export function promptFault(messages: readonly ChatMessage[]): string | undefined {
  let open = new Set<string>();
  let isStart = true;
  for (const [at, { role, content, toolCalls = [], toolCallId = "" }] of messages.entries()) {
    if (content.length === 0 && toolCalls.length === 0) return `message ${at} is empty`;
    if (role === "tool" && !open.delete(toolCallId)) return `message ${at} answers no call`;
    if (role === "tool" || role === "system") continue;
    if (open.size > 0) return `a call before message ${at} has no answer`;
    if (isStart && role !== "user") return `message ${at} should be the user's`;
    isStart = false;
    open = new Set(toolCalls.map(({ id }) => id));
  }
  return open.size > 0 ? "the last call has no answer" : undefined;
}
