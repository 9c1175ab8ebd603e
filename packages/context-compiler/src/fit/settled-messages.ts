import type { ChatMessage } from "@ccl/core";

import { type HeldContent, partOf } from "./held-content.ts";

/** The messages before the last assistant message, which later ones leave alone. Calls that follow each other share the lists. */
export interface SettledMessages {
  /** How many of the lists are meant; what comes after them is of a later call. */
  readonly length: number;
  readonly messages: ChatMessage[];
  /** What the messages held; undefined for one that is frozen, and so holds that still. */
  readonly contents: (HeldContent["content"] | undefined)[];
  readonly parts: (HeldContent["part"] | undefined)[];
}

/** True when the messages begin with these, as they were, and go on with an assistant message or not at all. */
export function goesOn(messages: readonly ChatMessage[], settled: SettledMessages): boolean {
  const { length, messages: before, contents, parts } = settled;
  if (messages.length < length || (messages[length]?.role ?? "assistant") !== "assistant")
    return false;
  for (let at = 0; at < length; at += 1) {
    const message = messages[at];
    if (message === undefined || message !== before[at]) return false;
    const content = contents[at];
    if (content !== undefined && (message.content !== content || partOf(message) !== parts[at]))
      return false;
  }
  return true;
}

/** The first `length` messages, which begin with `before`: its lists grow, unless another call made them grow already. */
export function extendSettled(
  before: SettledMessages | undefined,
  messages: readonly ChatMessage[],
  length: number,
): SettledMessages {
  const settled =
    before === undefined ? { messages: [], contents: [], parts: [] } : openEnded(before);
  // To ask takes as long as to compare, so that it is asked no more after the first message that may change.
  let isFrozen = true;
  for (const message of messages.slice(settled.messages.length, length)) {
    isFrozen &&= Object.isFrozen(message);
    settled.messages.push(message);
    settled.contents.push(isFrozen ? undefined : message.content);
    settled.parts.push(isFrozen ? undefined : partOf(message));
  }
  return { ...settled, length };
}

function openEnded(settled: SettledMessages): Omit<SettledMessages, "length"> {
  const { length, messages, contents, parts } = settled;
  if (length === messages.length) return settled;
  return {
    messages: messages.slice(0, length),
    contents: contents.slice(0, length),
    parts: parts.slice(0, length),
  };
}
