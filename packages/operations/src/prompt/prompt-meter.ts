import { type ChatMessage, TokenBudget, type ToolDescription } from "@ccl/core";

import { tokensOf } from "../operation/tokens-of.ts";
import type { PromptTrim } from "./assembled-prompt.ts";

/** Counts with the framing of the target. */
export interface PromptMeter {
  /** Tools and what the provider adds once. */
  framing: number;
  /** What may be used of the budget after the safety margin. */
  usable: number;
  usableForInserts: number;
  /** Of one message among others. */
  of(message: ChatMessage): number;
  /** Of a whole prompt. */
  ofAll(messages: readonly ChatMessage[]): number;
}

/** The counting of one assembly. */
export function createPromptMeter(trim: PromptTrim): PromptMeter {
  const { counter, budget, insertBudget = budget, safetyMargin, tools = [] } = trim;
  const count = (messages: readonly ChatMessage[], counted: readonly ToolDescription[]): number =>
    tokensOf(counter, messages, counted);
  // A budget of nothing is one that nothing fits.
  const usableOf = (total: number): number =>
    total >= 1
      ? new TokenBudget({
          total: Math.min(Math.floor(total), Number.MAX_SAFE_INTEGER),
          counter,
          safetyMargin,
        }).usable
      : 0;
  const once = count([], []);
  return {
    framing: count([], tools),
    usable: usableOf(budget),
    usableForInserts: usableOf(insertBudget),
    of: (message) => count([message], []) - once,
    ofAll: (messages) => count(messages, tools),
  };
}
