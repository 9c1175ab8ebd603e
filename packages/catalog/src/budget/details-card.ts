import type { ResourceDetails } from "../record/resource-record.ts";
import { CatalogError } from "../catalog-error.ts";

/** A card or one window of it. `truncated` is true if some columns or snippets are left out. */
export interface DetailsCard extends ResourceDetails {
  truncated: boolean;
  /** Number of columns and snippets in all windows that the principal may see. */
  total: { columns: number; snippets: number };
  /** Cursor of the next window. Absent in the last window. */
  next?: string | undefined;
  /** Digest entries that no longer match a column. */
  stale_digest?: string[] | undefined;
}

/** Where a window begins. */
export interface CardOffsets {
  columns: number;
  snippets: number;
}

/** Maximum size of a window. */
export interface CardLimits {
  columns: number;
  snippets: number;
}

/** Returns one window of a card. */
export function windowOf(
  details: ResourceDetails,
  { from, limits, stale }: { from: CardOffsets; limits: CardLimits; stale: readonly string[] },
): DetailsCard {
  const columns = details.columns ?? [];
  const snippets = details.usage?.snippets ?? [];
  const end = {
    columns: Math.min(columns.length, from.columns + limits.columns),
    snippets: Math.min(snippets.length, from.snippets + limits.snippets),
  };
  const hasMore = end.columns < columns.length || end.snippets < snippets.length;
  const card: DetailsCard = {
    ...details,
    truncated: hasMore || from.columns > 0 || from.snippets > 0,
    total: { columns: columns.length, snippets: snippets.length },
  };
  if (details.columns !== undefined) card.columns = columns.slice(from.columns, end.columns);
  if (details.usage?.snippets !== undefined) {
    card.usage = { ...details.usage, snippets: snippets.slice(from.snippets, end.snippets) };
  }
  if (hasMore) card.next = formatCursor(end);
  if (stale.length > 0) card.stale_digest = [...stale];
  return card;
}

/** Formats a position in a card as text. */
export function formatCursor({ columns, snippets }: CardOffsets): string {
  return `columns=${columns};snippets=${snippets}`;
}

/**
 * Parses the output of `formatCursor`. An undefined cursor means the start of the card.
 * @throws CatalogError `invalid_options` if the text did not come from `formatCursor`
 */
export function parseCursor(cursor: string | undefined): CardOffsets {
  if (cursor === undefined) return { columns: 0, snippets: 0 };
  const [, columns, snippets] = /^columns=(\d{1,9});snippets=(\d{1,9})$/.exec(cursor) ?? [];
  if (columns !== undefined && snippets !== undefined)
    return { columns: Number(columns), snippets: Number(snippets) };
  throw new CatalogError(
    "invalid_options",
    `${JSON.stringify(cursor.slice(0, 60))} is not a cursor of a details card.`,
  );
}
