import type { ChatMessage } from "@ccl/core";

/** Removes unanswered tool calls and empty answers, as providers require. Returns the same array if there are none. */
export function sendableHistory(history: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!history.some(isSuspect)) return history;
  const answered = new Set(history.map(({ toolCallId }) => toolCallId));
  return history.flatMap((message) => {
    if (!isSuspect(message)) return [message];
    const toolCalls = message.toolCalls?.filter(({ id }) => answered.has(id)) ?? [];
    if (toolCalls.length > 0) return [{ ...message, toolCalls }];
    return message.content.length === 0 ? [] : [{ ...message, toolCalls: undefined }];
  });
}

function isSuspect({ role, content, toolCalls }: ChatMessage): boolean {
  return role === "assistant" && (content.length === 0 || toolCalls !== undefined);
}
