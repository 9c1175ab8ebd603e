import type { TokenCounter } from "@ccl/core";

import type { ResourceDetails } from "../record/resource-record.ts";
import { cardText, type CardText } from "./card-text.ts";
import type { CardOffsets } from "./details-card.ts";

/** The content of a card. */
interface CardInput {
  details: ResourceDetails;
  stale: readonly string[];
}

/** A resource that may get a card. */
export interface CardCandidate {
  /** Returns undefined if the principal may not see the card. Called only if the card may fit. */
  card?: (() => CardInput | undefined) | undefined;
}

/** A card that fits. */
export interface FilledCard {
  id: string;
  shown: CardOffsets;
  truncated: boolean;
  total: { columns: number; snippets: number };
  /** Renders the card under the alias that its row assigned. */
  render(alias: string): string;
}

/** Limits and inputs for filling cards. */
export interface FillCardsOptions {
  counter: TokenCounter;
  budget: number;
}

interface Chosen {
  card: CardText;
  input: CardInput;
  level: number;
  tokens: number;
}

/** Share of the space that goes to short cards before any card is extended. */
const coreShare = 0.6;

/**
 * Adds cards in rank order. Their total token count stays within the budget. Up to 60% of the space goes to cards
 * at their core level. The rest extends the highest-ranked cards and then adds more.
 */
export function fillCards(
  candidates: readonly CardCandidate[],
  { counter, budget }: FillCardsOptions,
): FilledCard[] {
  const chosen: Chosen[] = [];
  let spent = 0;
  let next = 0;
  const addUpTo = (limit: number, lowest: "core" | "any"): void => {
    for (; next < candidates.length; next++) {
      const input = candidates[next]?.card?.();
      if (input === undefined) continue;
      const card = cardText(input.details, { alias: "1", stale: input.stale });
      const found = bestLevel(card, { counter, left: limit - spent, from: 0, to: card.core });
      if (found === undefined || (lowest === "core" && found.level < card.core)) return;
      chosen.push({ card, input, ...found });
      spent += found.tokens;
    }
  };
  addUpTo(budget * coreShare, "core");
  if (chosen.length === 0) addUpTo(budget, "core");
  for (const entry of chosen) {
    const left = budget - spent + entry.tokens;
    const found = bestLevel(entry.card, {
      counter,
      left,
      from: entry.level,
      to: entry.card.levels,
    });
    if (found === undefined) continue;
    spent += found.tokens - entry.tokens;
    Object.assign(entry, found);
  }
  addUpTo(budget, chosen.length === 0 ? "any" : "core");
  return chosen.map(({ card, input: { details, stale }, level }) => {
    const { shown, cuts } = card.render(level);
    return {
      id: details.id,
      shown,
      truncated: cuts !== "",
      total: {
        columns: details.columns?.length ?? 0,
        snippets: details.usage?.snippets?.length ?? 0,
      },
      render: (alias) => cardText(details, { alias, stale }).render(level).text,
    };
  });
}

/**
 * Returns the highest level in the range that fits. Higher levels cost more, apart from the text that marks a cut.
 */
function bestLevel(
  card: CardText,
  { counter, left, from, to }: { counter: TokenCounter; left: number; from: number; to: number },
): { level: number; tokens: number } | undefined {
  const costOf = (level: number): number => counter.count(card.render(level).text);
  const highest = costOf(to);
  if (highest <= left) return { level: to, tokens: highest };
  let best: { level: number; tokens: number } | undefined;
  let low = from;
  let high = to - 1;
  while (low <= high) {
    const level = (low + high) >> 1;
    const tokens = costOf(level);
    if (tokens <= left) {
      best = { level, tokens };
      low = level + 1;
    } else {
      high = level - 1;
    }
  }
  return best;
}
