import { type ChatMessage, groupDigits, truncateMiddle } from "@ccl/core";

import type { FitPolicy } from "./fit-policy.ts";
import { gatherFacts } from "./gather-facts.ts";
import { describeUnits, type HistoryUnit, type UnitRange } from "./history-unit.ts";

/** Starts a conversation that does not begin with a user message. */
export const startMarker: ChatMessage = {
  role: "user",
  content: "[The conversation starts here.]",
  source: "ccl:start",
};

/** Wraps a marker's text in a message. */
export function markerMessage(text: string): ChatMessage {
  return { role: "user", content: text, source: "ccl:elision" };
}

/**
 * Writes a marker: what was removed, and up to `facts` tokens of facts about it. The whole message
 * takes up to `maxTokens`, so the marker may be shorter.
 */
export function writeMarker(
  units: readonly HistoryUnit[],
  range: UnitRange,
  options: { policy: FitPolicy; seen: Set<string>; maxTokens: number; facts: number },
): string {
  const { policy, seen, maxTokens, facts } = options;
  const removed = describeUnits(units, range);
  const short = `[${groupDigits(removed.messages)} messages removed]`;
  const header = `[${groupDigits(removed.messages)} earlier messages (${groupDigits(removed.tokens)} tokens) were removed here to save space.`;
  const tokensOf = (text: string): number => policy.meter.of({ role: "user", content: text });
  if (tokensOf(`${header}]`) > maxTokens) return short;
  const { counter } = policy.meter;
  const factTokens = Math.min(maxTokens - tokensOf(`${header} Kept from them:]`) - 4, facts);
  const summary = policy.summaryOf?.(removed);
  const text =
    summary === undefined
      ? gatherFacts(units, range, { counter, maxTokens: factTokens, seen }).join("\n")
      : truncateMiddle(summary, { maxTokens: Math.max(0, factTokens), counter }).text;
  const whole = `${header} Kept from them:\n${text}]`;
  return text === "" || policy.meter.of(markerMessage(whole)) > maxTokens ? `${header}]` : whole;
}
