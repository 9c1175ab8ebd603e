import { requireWhole } from "../require-whole.ts";
import { presentDetails, viewColumns } from "../access/present-record.ts";
import { parseCursor, windowOf, type DetailsCard } from "../budget/details-card.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { staleDigest } from "../record/schema-digest.ts";
import { resolveAlias } from "./call-options.ts";
import type { DetailsAnswer, DetailsQuery } from "./catalog.ts";
import type { VisibleSet } from "./visible-set.ts";

/** Returns the cards for the ids, in the same order. A denied id looks like an absent one. */
export function detailsOf(
  ids: readonly string[],
  query: DetailsQuery,
  visible: VisibleSet,
): DetailsAnswer {
  const { sections, cursor, columnLimit = 10, snippetLimit = 2, aliases } = query;
  requireWhole("columnLimit", columnLimit, [1, 10_000]);
  requireWhole("snippetLimit", snippetLimit, [1, 100]);
  const from = parseCursor(cursor);
  const limits = { columns: columnLimit, snippets: snippetLimit };
  const items: DetailsCard[] = [];
  const missing: string[] = [];
  for (const requested of new Set(ids)) {
    const id = resolveAlias(requested, aliases);
    const record = visible.recordOf(id);
    if (record === undefined || !visible.visibility.seesDetails(record)) {
      missing.push(requested);
      continue;
    }
    const details = presentDetails(record, visible.visibility, sections);
    items.push(windowOf(details, { from, limits, stale: seenStale(record, visible) }));
  }
  return { items, missing };
}

/** Returns stale digest entries that the principal may see. */
export function seenStale(record: ResourceRecord, { visibility }: VisibleSet): string[] {
  const stale = staleDigest(record);
  if (stale.length === 0) return [];
  const { hidden } = viewColumns(record, visibility);
  return stale.filter((entry) => !hidden.isNamedIn(entry));
}
