import type { ChatMessage } from "@ccl/core";
import type { MessageMeter } from "../fit/message-meter.ts";
import { firstDifference } from "./first-difference.ts";
import type { ContextEntry } from "./working-context.ts";

/** What was counted of a history that grows: the next one is counted from where it differs. */
export interface EntrySums {
  entries: readonly ContextEntry[];
  /** The messages of the entries; grows in place. */
  messages: ChatMessage[];
  /** Tokens of the first n entries, for each n. */
  tokens: number[];
}

/** The messages of entries and their tokens. The sums of the step before serve where a step leaves the entries alone. */
export function sumEntries(
  entries: readonly ContextEntry[],
  { meter, sums, slot }: { meter: MessageMeter; sums: (EntrySums | undefined)[]; slot: number },
): { messages: readonly ChatMessage[]; tokens: number } {
  const same = sums.slice(0, slot + 1).findLast((one) => one?.entries === entries);
  const found = same ?? sums[slot] ?? { entries: [], messages: [], tokens: [0] };
  if (same === undefined) {
    countOn(found, entries, meter);
    sums[slot] = found;
  }
  return { messages: found.messages, tokens: found.tokens.at(-1) ?? 0 };
}

function countOn(sums: EntrySums, entries: readonly ContextEntry[], meter: MessageMeter): void {
  const start = firstDifference(sums.entries, entries);
  sums.entries = entries;
  // To grow the lists one by one takes longer than to fill them.
  sums.messages.length = entries.length;
  sums.tokens.length = entries.length + 1;
  let tokens = sums.tokens[start] ?? 0;
  for (let at = start; at < entries.length; at += 1) {
    const message = entries[at]?.message;
    if (message === undefined) continue;
    tokens += meter.of(message);
    sums.messages[at] = message;
    sums.tokens[at + 1] = tokens;
  }
}
