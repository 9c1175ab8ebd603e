import type { TokenCounter } from "@ccl/core";

import { CatalogError } from "../catalog-error.ts";
import { formatCursor, type DetailsCard } from "./details-card.ts";
import { type CardCandidate, fillCards, type FilledCard } from "./fill-cards.ts";
import {
  fillRows,
  holdsEveryName,
  minRowTokens,
  type FilledRows,
  type RowCandidate,
} from "./fill-rows.ts";
import { shareBudget, type BudgetShares } from "./share-budget.ts";

/** A candidate, in rank order. */
export interface ContextCandidate extends RowCandidate, CardCandidate {
  id: string;
}

/** Tokens to reserve from a budget for each part. */
export interface BudgetReserve {
  /** For the caller's system prompt. 0 by default. */
  head?: number | undefined;
  /** For the text of the task. 0 by default. */
  task?: number | undefined;
  /** For cards. Defaults to 60% of what remains after head and task, but the first 800 tokens always go to rows. */
  details?: number | undefined;
}

/** Options of `buildContext`. */
export interface BuildContextOptions {
  candidates: readonly ContextCandidate[];
  /** Candidates that get a row but no card. They fill the space left at the end. */
  others?: readonly RowCandidate[] | undefined;
  budget: number;
  reserve?: BudgetReserve | undefined;
  counter: TokenCounter;
}

/** Ids by alias, as returned by `budgetedContext`. */
export type AliasMap = Readonly<Record<string, string>>;

/** A card in a context. */
interface ContextCard {
  id: string;
  alias: string;
  /** True if the text leaves out part of the card. The text then says so. */
  truncated: boolean;
  total: DetailsCard["total"];
  /** Cursor for `details` if columns or snippets were cut. */
  next?: string | undefined;
}

/** Rows and cards within a budget. */
export interface BuiltContext {
  text: string;
  /**
   * Token count of `text` by the catalog's counter. Never above the budget minus the head and task
   * reserves.
   */
  tokens: number;
  /** In row order. */
  overview: { id: string; alias: string }[];
  aliases: AliasMap;
  details: ContextCard[];
  /** Number of rows. */
  k: number;
  /** Number of cards, up to `k`. */
  m: number;
  /** Number of candidates without a row, and of rows without a card. */
  omitted: { overview: number; details: number };
  breakdown: { usable: number; head: number; task: number; overview: number; details: number };
}

/**
 * Number of tokens that always fits a header and a short row. If this many are left, the cards are kept without
 * laying out the rows first.
 */
const ampleHeader = 80;
const ampleRow = 60;
/** The counts of the parts may add up to slightly less than the count of the whole text. */
const countSlack = 2;
const cardsHeader = "# details of the best, by alias\n";

/**
 * Builds rows and cards within a budget. It counts the whole text before returning it, so the text
 * fits with any counter. The same candidates and budget give the same bytes.
 * @throws CatalogError `budget_exceeded` if not even the overview's header fits
 */
export function buildContext({
  candidates,
  others = [],
  budget,
  reserve,
  counter,
}: BuildContextOptions): BuiltContext {
  const split = shareBudget(budget, reserve, counter);
  const shares =
    reserve?.details === undefined
      ? withNames(candidates, others, { shares: withSpare(candidates, split, counter), counter })
      : split;
  let cards = fillSharedCards(candidates, shares, counter);
  for (let overrun = 0; ;) {
    const cardTokens =
      textOf(cards, undefined) === "" ? 0 : counter.count(textOf(cards, undefined));
    const budget = shares.rest - cardTokens - overrun;
    const rows = fillRows(candidates, {
      counter,
      budget,
      shortRows: cards.length,
      others,
    });
    const shown = new Set(rows?.overview.map(({ id }) => id));
    if (cards.some(({ id }) => !shown.has(id))) {
      cards = cards.slice(0, -1);
      continue;
    }
    if (rows === undefined) throw tooSmall(shares);
    const text = rows.text + textOf(cards, rows.overview);
    const tokens = counter.count(text);
    if (tokens <= shares.rest) {
      const total = candidates.length + others.length;
      return finished({ text, tokens, rows, cards, shares, total });
    }
    if (rows.overview.length > 0 && overrun < shares.rest) overrun += tokens - shares.rest;
    else if (cards.length > 0) cards = cards.slice(0, -1);
    else throw tooSmall(shares);
  }
}

/** Spends the tokens left over on cards once every candidate has a row. */
function withSpare(
  candidates: readonly ContextCandidate[],
  shares: BudgetShares,
  counter: TokenCounter,
): BudgetShares {
  if (candidates.length * minRowTokens > shares.rest - shares.details) return shares;
  const rows = fillRows(candidates, { counter, budget: shares.rest, shortRows: 0 });
  if (rows === undefined || rows.overview.length < candidates.length) return shares;
  return { ...shares, details: Math.max(shares.details, shares.rest - rows.tokens - countSlack) };
}

/** Share of the space that cards keep if every name fits in the rest. */
const cardShare = 0.4;

/** Limits cards to 40% of the space if the names of all resources then fit in the rest. */
function withNames(
  candidates: readonly ContextCandidate[],
  others: readonly RowCandidate[],
  { shares, counter }: { shares: BudgetShares; counter: TokenCounter },
): BudgetShares {
  const details = Math.min(shares.details, Math.floor(shares.rest * cardShare));
  const room = shares.rest - details - ampleHeader;
  return others.length > 0 && holdsEveryName(candidates, others, { counter, room })
    ? { ...shares, details }
    : shares;
}

/** Fills cards up to their share, or less if their own rows would not fit otherwise. */
function fillSharedCards(
  candidates: readonly ContextCandidate[],
  shares: BudgetShares,
  counter: TokenCounter,
): FilledCard[] {
  if (shares.details === 0) return [];
  const header = counter.count(cardsHeader);
  const cards = fillCards(candidates, { counter, budget: shares.details - header });
  if (shares.rest - shares.details >= ampleHeader + ampleRow * cards.length) return cards;
  for (let max = Math.max(1, cards.length); max > 0; max = Math.floor(max / 2)) {
    const last = cards[max - 1]?.id;
    const end = last === undefined ? 1 : candidates.findIndex(({ id }) => id === last) + 1;
    const rows = fillRows(candidates.slice(0, end), {
      counter,
      budget: shares.rest,
      shortRows: end,
      total: candidates.length,
    });
    const room = shares.rest - (rows?.tokens ?? shares.rest) - header - countSlack;
    if (room >= shares.details - header) return cards;
    const fewer = fillCards(candidates.slice(0, end), { counter, budget: room });
    if (fewer.length > 0) return fewer;
  }
  return [];
}

function textOf(
  cards: readonly FilledCard[],
  overview: FilledRows["overview"] | undefined,
): string {
  if (cards.length === 0) return "";
  const aliases = new Map(overview?.map(({ id, alias }) => [id, alias]));
  return cardsHeader + cards.map(({ id, render }) => render(aliases.get(id) ?? "999")).join("");
}

function finished({
  text,
  tokens,
  rows,
  cards,
  shares,
  total,
}: {
  text: string;
  tokens: number;
  rows: FilledRows;
  cards: readonly FilledCard[];
  shares: BudgetShares;
  total: number;
}): BuiltContext {
  const aliases = Object.fromEntries(rows.overview.map(({ id, alias }) => [alias, id]));
  const aliasOf = new Map(rows.overview.map(({ id, alias }) => [id, alias]));
  const details = cards.map(({ id, shown, truncated, total: all }): ContextCard => {
    const hasMore = shown.columns < all.columns || shown.snippets < all.snippets;
    return {
      id,
      alias: aliasOf.get(id) ?? "",
      truncated,
      total: all,
      next: hasMore ? formatCursor(shown) : undefined,
    };
  });
  const { usable, head, task } = shares;
  return {
    text,
    tokens,
    overview: rows.overview,
    aliases,
    details,
    k: rows.overview.length,
    m: cards.length,
    omitted: {
      overview: total - rows.overview.length,
      details: rows.overview.length - cards.length,
    },
    breakdown: { usable, head, task, overview: rows.tokens, details: tokens - rows.tokens },
  };
}

function tooSmall({ usable, head, task, rest }: BudgetShares): CatalogError {
  const message = `The header of the overview does not fit into the ${rest} tokens that are left of ${usable}; raise the budget to ${usable + 60} or more.`;
  return new CatalogError("budget_exceeded", message, {
    details: { usable, head, task, left: rest },
  });
}
