import type { ChatMessage } from "@ccl/core";

/** What a message held when something was derived from it: a caller may replace it in place. */
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

/** True where a provider would see no difference; the two need not be one object. */
export function isSameMessage(message: ChatMessage, held: HeldMessage): boolean {
  return (
    message.role === held.role &&
    message.toolCallId === held.toolCallId &&
    message.isError === held.isError &&
    isSame(message.content, held.content) &&
    isSame(message.toolCalls, held.toolCalls) &&
    isSame(message.providerMetadata, held.providerMetadata)
  );
}

/** Equal JSON; quick where it is one object, or a text. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length || Array.isArray(a) !== Array.isArray(b)) return false;
  return keys.every((key) => isSame(Reflect.get(a, key), Reflect.get(b, key)));
}
