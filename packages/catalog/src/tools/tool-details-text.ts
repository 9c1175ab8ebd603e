import { cardText } from "../budget/card-text.ts";
import type { DetailsCard } from "../budget/details-card.ts";

/** Renders a window of a card as a tool's answer. The text names `next` if there is more. */
export function toolDetailsText(card: DetailsCard): string {
  const whole = cardText(card, { alias: "", stale: card.stale_digest ?? [] });
  const { text } = whole.render(whole.levels);
  if (card.next === undefined) return text.trimEnd();
  const { columns, snippets } = card.total;
  return `${text.trimEnd()}\n[cut: of ${columns} columns and ${snippets} snippets in all, the next with cursor ${JSON.stringify(card.next)}]`;
}
