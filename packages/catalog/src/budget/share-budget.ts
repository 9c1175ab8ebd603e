import { TokenBudget, type TokenCounter } from "@ccl/core";

import { CatalogError } from "../catalog-error.ts";

/** Tokens for each part. The overview gets what remains of `usable`. */
export interface BudgetShares {
  /** The budget less the safety margin for an estimating counter. */
  usable: number;
  head: number;
  task: number;
  /** Maximum for cards. Rows can use what cards leave over, and vice versa. */
  details: number;
  /** Tokens for rows and cards together. */
  rest: number;
}

/** Number of tokens that rows get before cards, unless the caller reserves tokens for cards. */
const overviewFirst = 800;
const detailsShare = 0.6;

/**
 * Splits a budget. Without `reserve.details`, rows get the first 800 tokens. Cards then get up to
 * 60% of what remains after head and task.
 * @throws CatalogError `invalid_budget` for numbers that are not whole and positive,
 * `budget_exceeded` if head and task use up everything
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
