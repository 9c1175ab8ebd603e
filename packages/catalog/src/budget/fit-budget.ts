import { CatalogError } from "../catalog-error.ts";
import { shareBudget } from "./share-budget.ts";

/** Costs in rank order. */
export interface FitBudgetOptions {
  /** Tokens in all. */
  budget: number;
  reserve?:
    | { head?: number | undefined; task?: number | undefined; details?: number | undefined }
    | undefined;
  /** Tokens of each row, best first. */
  overviewCosts: readonly number[];
  /** Tokens of each card, in the same order; a card without a row is not counted. */
  detailCosts: readonly number[];
}

/** How many rows and cards fit, and what they take. */
export interface BudgetFit {
  /** Rows. */
  k: number;
  /** Cards, at most `k`. */
  m: number;
  overviewTokens: number;
  detailTokens: number;
  /** Of the budget, after head, task, rows and cards. */
  left: number;
}

/**
 * Fills by the real cost of each resource, best first: cards get their share for the `m` best, rows what is left, and a
 * card goes where its row would not fit. The sum never exceeds the budget.
 * @throws CatalogError `invalid_budget`, or `budget_exceeded` where head and task take all
 */
export function fitBudget({
  budget,
  reserve,
  overviewCosts,
  detailCosts,
}: FitBudgetOptions): BudgetFit {
  for (const cost of [...overviewCosts, ...detailCosts]) {
    if (!(cost >= 0))
      throw new CatalogError("invalid_budget", `A cost is a number of tokens from 0, not ${cost}.`);
  }
  const { rest, details } = shareBudget(budget, reserve);
  let cards = prefixOf(detailCosts.slice(0, overviewCosts.length), details);
  let rows = prefixOf(overviewCosts, rest - cards.tokens);
  while (cards.count > rows.count) {
    cards = prefixOf(detailCosts.slice(0, cards.count - 1), details);
    rows = prefixOf(overviewCosts, rest - cards.tokens);
  }
  const left = rest - rows.tokens - cards.tokens;
  return {
    k: rows.count,
    m: cards.count,
    overviewTokens: rows.tokens,
    detailTokens: cards.tokens,
    left,
  };
}

function prefixOf(costs: readonly number[], room: number): { count: number; tokens: number } {
  let tokens = 0;
  for (const [count, cost] of costs.entries()) {
    if (tokens + cost > room) return { count, tokens };
    tokens += cost;
  }
  return { count: costs.length, tokens };
}
