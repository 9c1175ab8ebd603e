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
  before: SettledMessages | undefined,
  messages: readonly ChatMessage[],
  length: number,
): SettledMessages {
  if (before === undefined) {
    const all = messages.slice(0, length);
    return { length, messages: all, contents: contentsOf(all) };
  }
  const isLast = before.length === before.messages.length;
  const known = isLast ? before.messages : before.messages.slice(0, before.length);
  const contents = isLast ? before.contents : before.contents.slice(0, before.length);
  const added = messages.slice(known.length, length);
  for (const message of added) known.push(message);
  for (const content of contentsOf(added)) contents.push(content);
  return { length, messages: known, contents };
}

/** To ask takes as long as to compare, so that it is asked no more after the first message that may change. */
function contentsOf(messages: readonly ChatMessage[]): SettledMessages["contents"] {
  let isFrozen = true;
  return messages.map((message) => {
    isFrozen &&= Object.isFrozen(message);
    return isFrozen ? undefined : message.content;
  });
}
