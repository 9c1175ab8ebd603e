import type { Clock } from "@ccl/core";

import type { AccessAudit, AccessOptions } from "../access/access-options.ts";
import { presentDetails, viewColumns } from "../access/present-record.ts";
import { parseCursor, windowOf, type DetailsCard } from "../budget/details-card.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { staleDigest } from "../record/schema-digest.ts";
import { requireWhole, resolveAlias } from "./call-options.ts";
import type { DetailsAnswer, DetailsQuery } from "./catalog.ts";
import type { VisibleSet } from "./visible-set.ts";

/** The cards of ids, in their order; a denied one looks like an absent one, and is told to the audit. */
export function detailsOf(
  { ids, query, visible }: { ids: readonly string[]; query: DetailsQuery; visible: VisibleSet },
  { access, clock }: { access: AccessOptions | undefined; clock: Clock },
): DetailsAnswer {
  const { sections, cursor, columnLimit = 10, snippetLimit = 2, aliases, principal } = query;
  requireWhole("columnLimit", columnLimit, [1, 10_000]);
  requireWhole("snippetLimit", snippetLimit, [1, 100]);
  const from = parseCursor(cursor);
  const limits = { columns: columnLimit, snippets: snippetLimit };
  const items: DetailsCard[] = [];
  const missing: string[] = [];
  for (const asked of new Set(ids)) {
    const id = resolveAlias(asked, aliases);
    const record = visible.recordOf(id);
    const reason = record === undefined ? "absent" : visible.visibility.denies(record);
    if (record === undefined || reason !== undefined) {
      missing.push(asked);
      audit(access, {
        type: "details_denied",
        resourceId: id,
        principalId: principal?.id === undefined ? undefined : principal.id,
        roles: principal?.roles ?? ["public"],
        reason: reason ?? "absent",
        at: clock.now(),
      });
      continue;
    }
    const details = presentDetails(record, visible.visibility, sections);
    items.push(windowOf(details, { from, limits, stale: seenStale(record, visible) }));
  }
  return { items, missing };
}

/** What of the digest is stale, as far as the principal may know. */
export function seenStale(record: ResourceRecord, { visibility }: VisibleSet): string[] {
  const stale = staleDigest(record);
  if (stale.length === 0) return [];
  const { hidden } = viewColumns(record, visibility);
  return stale.filter((entry) => !hidden.isNamedIn(entry));
}

function audit(access: AccessOptions | undefined, event: AccessAudit): void {
  try {
    access?.onAudit?.(event);
  } catch {
    // A listener that fails must neither open nor close anything.
  }
}
