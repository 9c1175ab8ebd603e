import { TokenBudget, type TokenCounter } from "@ccl/core";

import { CatalogError } from "../catalog-error.ts";

/** Tokens by part: the rest of `usable` is the overview's. */
export interface BudgetShares {
  /** The budget less the margin that an estimate needs. */
  usable: number;
  head: number;
  task: number;
  /** What cards may take at most; what they leave goes to rows, and the other way round. */
  details: number;
  /** What rows and cards may take together. */
  rest: number;
}

/** Tokens that rows get before cards get any, where the caller reserves none. */
const overviewFirst = 800;
const detailsShare = 0.6;

/**
 * Splits a budget. Without `reserve.details` cards get six tenths of what head and task leave, after rows had 800 tokens.
 * @throws CatalogError `invalid_budget` for numbers that are not whole and positive, `budget_exceeded` where head and task take all
 */
export function shareBudget(
  budget: number,
  reserve: {
    head?: number | undefined;
    task?: number | undefined;
    details?: number | undefined;
  } = {},
  counter?: TokenCounter,
): BudgetShares {
  const { head = 0, task = 0 } = reserve;
  for (const [name, tokens] of Object.entries({
    budget,
    head,
    task,
    details: reserve.details ?? 0,
  })) {
    const isWhole = Number.isSafeInteger(tokens) && tokens >= (name === "budget" ? 1 : 0);
    if (!isWhole)
      throw new CatalogError(
        "invalid_budget",
        `${name} is a whole number of tokens, not ${tokens}.`,
      );
  }
  const { usable } = new TokenBudget({
    total: budget,
    counter,
  });
  const rest = usable - head - task;
  if (rest <= 0) {
    const message = `The head (${head} tokens) and the task (${task}) leave nothing of ${usable} usable tokens; raise the budget.`;
    throw new CatalogError("budget_exceeded", message, { details: { budget, usable, head, task } });
  }
  const usual = Math.max(0, Math.min(Math.floor(rest * detailsShare), rest - overviewFirst));
  return { usable, head, task, rest, details: Math.min(rest, reserve.details ?? usual) };
}
