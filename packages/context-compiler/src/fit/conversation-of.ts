import { type ChatMessage, sha8 } from "@ccl/core";

/** Names a conversation by its start, up to the user's first words. */
export function conversationOf(messages: readonly ChatMessage[]): string {
  const first = messages.findIndex(({ role }) => role === "user");
  const beginning = messages.slice(0, first + 1).map(({ role, content }) => [role, content]);
  return sha8(JSON.stringify(beginning));
}
