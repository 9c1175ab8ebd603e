import { requireWhole } from "../require-whole.ts";
import type { Records } from "@ccl/records";

import type { Visibility } from "../access/create-visibility.ts";
import { isWhole, viewColumns } from "../access/present-record.ts";
import type { HistoryEntry } from "../store/history-entry.ts";
import { readHistory } from "../store/read-history.ts";
import type { ResourceChange } from "../record/diff-resource.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import type { HistoryQuery, SeenHistoryEntry } from "./catalog.ts";
import type { VisibleSet } from "./visible-set.ts";

/**
 * Reads a resource's history, oldest first. Requires access to the card. A removed resource has no fields left to
 * check rights against, so only a principal that sees everything can see its history. Changes that name hidden
 * columns are omitted.
 */
export async function historyOf(
  id: string,
  { limit = 100, signal }: HistoryQuery,
  { visible, records }: { visible: VisibleSet; records: Records },
): Promise<SeenHistoryEntry[]> {
  requireWhole("limit", limit, [1, 1_000]);
  const { visibility } = visible;
  const record = visible.recordOf(id);
  if (record === undefined ? !visibility.isOpen : !visibility.seesDetails(record)) return [];
  const oldestFirst = await readHistory(records, id, { limit, signal });
  if (record === undefined) return oldestFirst.map((entry) => ({ ...entry, changes: [] }));
  const seesEvery = visibility.seesEveryColumn(record);
  // A removed column may have been hidden, so show only names of columns that are visible now.
  const view = viewColumns(record, visibility);
  const seen = new Set(view.columns.map(({ name }) => name));
  const isSeen = (change: ResourceChange): boolean =>
    hasSeenKeys(change, record, visibility) &&
    (seesEvery || isShown(change, { seen, hidden: view.hidden }));
  const shown = oldestFirst.map((entry) => ({ ...entry, changes: entry.changes.filter(isSeen) }));
  const isAll =
    visibility.isOpen ||
    (isWhole(record, view) &&
      shown.every(({ changes }, at) => changes.length === oldestFirst[at]?.changes.length));
  if (isAll) return shown;
  return shown
    .filter(({ kind, changes }) => kind !== "changed" || changes.length > 0)
    .map(({ kind, at, cap_hash, changes }) => ({ id, kind, at, cap_hash, changes }));
}

/** Returns false if the key names a hidden table before or after the change. */
function hasSeenKeys(
  { path, from, to }: ResourceChange,
  record: ResourceRecord,
  visibility: Visibility,
): boolean {
  if (!path.endsWith(".fk")) return true;
  return [from, to].every((key) => key === undefined || visibility.seesForeignKey(key, record));
}

function isShown(
  { path, from = "", to = "" }: HistoryEntry["changes"][number],
  { seen, hidden }: { seen: ReadonlySet<string>; hidden: { isNamedIn(text: string): boolean } },
): boolean {
  if (hidden.isNamedIn(`${path} ${from} ${to}`)) return false;
  if (!path.startsWith("columns.")) return path.startsWith("cap.") || path.startsWith("pushdown.");
  return [...seen].some(
    (name) => path === `columns.${name}` || path.startsWith(`columns.${name}.`),
  );
}
