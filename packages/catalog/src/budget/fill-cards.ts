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
  /** Undefined if the principal may not see the card. Called only if there may be room for it. */
  card?: (() => CardInput | undefined) | undefined;
}

/** A card that fits. */
export interface FilledCard {
  id: string;
  shown: CardOffsets;
  truncated: boolean;
  total: { columns: number; snippets: number };
  /** Renders the text under the alias that the rows assign. */
  render(alias: string): string;
}

/** The room for cards. */
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

/** The share of the room that goes to short cards before any card is extended. */
const coreShare = 0.6;

/**
 * Adds cards in rank order. The sum of their counts stays within the budget. Up to 60% of the room
 * goes to cards at their core level. The rest extends the best of them, then adds more.
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

/** The highest level in the range that fits. A higher level costs more tokens, apart from the text that marks a cut. */
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
