import type { ChatMessage } from "@ccl/core";
import { isSameJson } from "@ccl/core/json";

/**
 * A message's contents at the time when something was derived from it. A caller may replace them in
 * place.
 */
export type HeldMessage = Readonly<
  Pick<
    ChatMessage,
    "role" | "content" | "toolCalls" | "toolCallId" | "isError" | "providerMetadata"
  >
>;

export function holdMessage(message: ChatMessage): HeldMessage {
  if (Object.isFrozen(message)) return message;
  const { role, content, toolCalls, toolCallId, isError, providerMetadata } = message;
  return { role, content, toolCalls, toolCallId, isError, providerMetadata };
}

/** True if a provider would see the same message. The two may be different objects. */
export function isSameMessage(message: ChatMessage, held: HeldMessage): boolean {
  return (
    message.role === held.role &&
    message.toolCallId === held.toolCallId &&
    message.isError === held.isError &&
    isSameJson(message.content, held.content) &&
    isSameJson(message.toolCalls, held.toolCalls) &&
    isSameJson(message.providerMetadata, held.providerMetadata)
  );
}
