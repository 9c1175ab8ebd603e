import type { ChatMessage } from "@ccl/core";

/** The messages before the last assistant message, which later ones leave alone. Calls that follow each other share the lists. */
export interface SettledMessages {
  /** How many of the lists are meant; what comes after them is of a later call. */
  readonly length: number;
  readonly messages: ChatMessage[];
  /** What the messages held; undefined for one that is frozen, and so holds that still. */
  readonly contents: (ChatMessage["content"] | undefined)[];
}

/** True when the messages begin with these, as they were, and go on with an assistant message or not at all. */
export function goesOn(messages: readonly ChatMessage[], settled: SettledMessages): boolean {
  const { length, messages: before, contents } = settled;
  if (messages.length < length || (messages[length]?.role ?? "assistant") !== "assistant") return false;
  for (let at = 0; at < length; at += 1) {
    const message = messages[at];
    const content = contents[at];
    if (message !== before[at] || (content !== undefined && message?.content !== content)) return false;
  }
  return true;
}

/** The first `length` messages, which begin with `before`: its lists grow, unless another call made them grow already. */
export function extendSettled(
  before: SettledMessages,
  messages: readonly ChatMessage[],
  length: number,
): SettledMessages {
  const isLast = before.length === before.messages.length;
  const known = isLast ? before.messages : before.messages.slice(0, before.length);
  const contents = isLast ? before.contents : before.contents.slice(0, before.length);
  for (const message of messages.slice(known.length, length)) {
    known.push(message);
    contents.push(Object.isFrozen(message) ? undefined : message.content);
  }
  return { length, messages: known, contents };
}
