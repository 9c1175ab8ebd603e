import { type ChatMessage, sha8 } from "@ccl/core";

/** A name for a conversation by how it begins: up to the first words of the user. */
export function conversationOf(messages: readonly ChatMessage[]): string {
  const first = messages.findIndex(({ role }) => role === "user");
  const beginning = messages.slice(0, first + 1).map(({ role, content }) => [role, content]);
  return sha8(JSON.stringify(beginning));
}
