import { type ChatMessage, TokenBudget, type ToolDescription } from "@ccl/core";

import { tokensOf } from "../operation/tokens-of.ts";
import type { PromptTrim } from "./assembled-prompt.ts";

/** Counts tokens with the framing of the target. */
export interface PromptMeter {
  /** The part of the budget that remains after the safety margin. */
  usable: number;
  usableForInserts: number;
  /** Tokens of one message among others. */
  of(message: ChatMessage): number;
  /** Tokens of a whole prompt. */
  ofAll(messages: readonly ChatMessage[]): number;
}

/** Creates the meter of one assembly. */
export function createPromptMeter(trim: PromptTrim): PromptMeter {
  const { counter, budget, insertBudget = budget, safetyMargin, tools = [] } = trim;
  const count = (messages: readonly ChatMessage[], counted: readonly ToolDescription[]): number =>
    tokensOf(counter, messages, counted);
  // Nothing fits a budget of 0.
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
    usable: usableOf(budget),
    usableForInserts: usableOf(insertBudget),
    of: (message) => count([message], []) - once,
    ofAll: (messages) => count(messages, tools),
  };
}
