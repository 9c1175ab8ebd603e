import type { ChatMessage, TokenCounter } from "@ccl/core";

import type { History } from "./analyze-history.ts";
import { goesOn, type SettledMessages } from "./settled-messages.ts";

/** A history and its messages. */
export interface KnownHistory {
  counter: TokenCounter;
  settled: SettledMessages;
  history: History;
}

/** By the last of the settled messages, so that a history is kept no longer than that. */
const known = new WeakMap<ChatMessage, KnownHistory>();

/** How many messages may have come since. */
const maxNewer = 64;

/** The history that these messages go on with, when it was analyzed before with the same counter. */
export function findKnownHistory(
  messages: readonly ChatMessage[],
  counter: TokenCounter,
): KnownHistory | undefined {
  const last = messages.length - 1;
  for (let at = last; at >= 0 && at >= last - maxNewer; at--) {
    const message = messages[at];
    if (typeof message !== "object" || message === null) return undefined;
    const found = known.get(message);
    if (found === undefined || found.settled.length !== at + 1) continue;
    return found.counter === counter && goesOn(messages, found.settled) ? found : undefined;
  }
  return undefined;
}

export function keepHistory(kept: KnownHistory): void {
  const { messages, length } = kept.settled;
  const last = messages[length - 1];
  if (last !== undefined) known.set(last, kept);
}
