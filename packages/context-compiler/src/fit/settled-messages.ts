import type { ChatMessage } from "@ccl/core";

import { type HeldContent, partOf } from "./held-content.ts";

/** The messages before the last assistant message, which later ones leave alone, and what they held. */
export interface SettledMessages {
  readonly messages: readonly ChatMessage[];
  readonly contents: readonly HeldContent["content"][];
  readonly parts: readonly HeldContent["part"][];
}

/** True when the messages begin with these, as they were, and go on with an assistant message or not at all. */
export function goesOn(messages: readonly ChatMessage[], settled: SettledMessages): boolean {
  const { messages: before, contents, parts } = settled;
  const { length } = before;
  if (messages.length < length || (messages[length]?.role ?? "assistant") !== "assistant")
    return false;
  return before.every(
    (message, at) =>
      message === messages[at] && message.content === contents[at] && partOf(message) === parts[at],
  );
}

/** The first `length` messages, which begin with `before`. */
export function extendSettled(
  before: SettledMessages | undefined,
  messages: readonly ChatMessage[],
  length: number,
): SettledMessages {
  const added = messages.slice(before?.messages.length ?? 0, length);
  return {
    messages: [...(before?.messages ?? []), ...added],
    contents: [...(before?.contents ?? []), ...added.map(({ content }) => content)],
    parts: [...(before?.parts ?? []), ...added.map(partOf)],
  };
}
