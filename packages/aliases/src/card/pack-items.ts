import { cleanItem, cutText, maxCardLines, maxCardTextLength } from "./card-lines.ts";

/** Maximum number of items to lay out. Further items are only counted. */
const maxReadItems = 1_000;

/** Options of `packItems`. */
interface PackItemsOptions {
  /** Maximum number of lines. Defaults to 1. */
  maxLines?: number | undefined;
  /** Text between items. Defaults to `; `. */
  separator?: string | undefined;
}

/**
 * Lays items out as `label: item; item; +N more`. Fills each line, repeats the label on every line,
 * and counts the items that do not fit.
 */
export function packItems(
  label: string,
  items: readonly string[],
  options: PackItemsOptions = {},
): string[] {
  const { maxLines = 1, separator = "; " } = options;
  const cleaned = items.slice(0, maxReadItems).map(cleanItem);
  const prefix = label === "" ? "" : `${cutText(cleanItem(label), 50)}: `;
  const shown = cleaned
    .filter((item) => item !== "")
    .map((item) => cutText(item, maxCardTextLength - prefix.length - 14));
  const total = shown.length + Math.max(0, items.length - maxReadItems);
  const rows: string[][] = [];
  let width = Infinity;
  for (const item of shown) {
    width += separator.length + item.length;
    if (width > maxCardTextLength) {
      if (rows.length === maxLines) break;
      rows.push([]);
      width = prefix.length + item.length;
    }
    rows.at(-1)?.push(item);
  }
  return withRest(rows, { prefix, separator, total });
}

function withRest(
  rows: string[][],
  layout: { prefix: string; separator: string; total: number },
): string[] {
  const { prefix, separator, total } = layout;
  const lines = rows.map((row) => prefix + row.join(separator));
  let left = total - rows.reduce((sum, row) => sum + row.length, 0);
  const last = rows.at(-1);
  if (left === 0 || last === undefined) return lines;
  const lastLine = (): string => prefix + [...last, `+${left} more`].join(separator);
  while (lastLine().length > maxCardTextLength && last.length > 1) {
    last.pop();
    left += 1;
  }
  return [...lines.slice(0, -1), lastLine()];
}

/** A subject and its items. The subject is empty if there is none. */
export interface ItemGroup {
  subject: string;
  items: string[];
}

/**
 * Lays out one line per group, and uses any spare lines for long groups. The last line names groups
 * that do not fit.
 */
export function packGroups(groups: readonly ItemGroup[]): string[] {
  const fits = groups.length <= maxCardLines;
  const shown = fits ? groups : groups.slice(0, maxCardLines - 1);
  const maxLines = Math.max(1, Math.floor(maxCardLines / Math.max(1, groups.length)));
  const lines = shown.flatMap(({ subject, items }) =>
    items.length > 0 ? packItems(subject, items, { maxLines }) : [subject],
  );
  if (fits) return lines;
  return [...lines, nameRest(groups.slice(shown.length).map((group) => group.subject))];
}

/** Returns `+N more: name, name, ...` on one line. */
export function nameRest(names: readonly string[]): string {
  const shown = names.slice(0, maxCardTextLength).map(cleanItem).join(", ");
  return cutText(`+${names.length} more: ${shown}`, maxCardTextLength);
}

/** Puts one item on each line if they fit, otherwise several. Counts the rest. */
export function packLines(items: readonly string[]): string[] {
  return items.length <= maxCardLines
    ? [...items]
    : packItems("", items, { maxLines: maxCardLines, separator: ", " });
}
