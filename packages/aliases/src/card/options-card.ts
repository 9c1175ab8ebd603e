import { cleanItem, cutText, maxCardLines, maxCardTextLength } from "./card-lines.ts";
import { nameRest } from "./pack-items.ts";
import type { Option } from "./read-options.ts";

/**
 * Renders one line per option: `O1: summary; excludes O3`. May cut a long summary, but never the
 * exclusions.
 */
export function optionsCard(options: readonly Option[]): string[] {
  const isOver = options.length > maxCardLines;
  const shown = options.slice(0, isOver ? maxCardLines - 1 : maxCardLines).map(renderOption);
  if (!isOver) return shown;
  return [...shown, nameRest(options.slice(shown.length).map((option) => option.id))];
}

/** Renders an option as one line of a card. */
function renderOption({ id, summary, excludes }: Option): string {
  const suffix =
    excludes.length === 0 ? "" : cutText(`; excludes ${cleanItem(excludes.join(", "))}`, 60);
  return (
    cutText(`${cleanItem(id)}: ${cleanItem(summary)}`, maxCardTextLength - suffix.length) + suffix
  );
}
