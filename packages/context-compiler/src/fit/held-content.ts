import type { ChatMessage } from "@ccl/core";

/** What a message held when something was derived from it; all of it can be replaced in place. */
export interface HeldContent {
  content: ChatMessage["content"];
  /** What says which part it plays: its calls, the call that it answers, or its role. */
  part: NonNullable<ChatMessage["toolCalls"]> | string;
}

export function partOf({ toolCalls, toolCallId, role }: ChatMessage): HeldContent["part"] {
  return toolCalls ?? toolCallId ?? role;
}

export function stillHolds(message: ChatMessage, held: HeldContent): boolean {
  return message.content === held.content && partOf(message) === held.part;
}
