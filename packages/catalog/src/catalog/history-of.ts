import { viewColumns } from "../access/present-record.ts";
import type { CatalogStore, HistoryEntry } from "../store/catalog-store.ts";
import { requireWhole, withSignal } from "./call-options.ts";
import type { HistoryQuery } from "./catalog.ts";
import type { VisibleSet } from "./visible-set.ts";

/**
 * What happened to a resource, oldest first. Asks for a card's rights; a removed resource, of which nobody can say who
 * might see it, shows its history only where everything is open. Changes that name hidden columns are left out.
 */
export async function historyOf(
  id: string,
  { limit = 100, signal }: HistoryQuery,
  { visible, store }: { visible: VisibleSet; store: CatalogStore },
): Promise<HistoryEntry[]> {
  requireWhole("limit", limit, [1, 1_000]);
  const { visibility } = visible;
  const record = visible.recordOf(id);
  if (record === undefined ? !visibility.isOpen : visibility.denies(record) !== undefined)
    return [];
  const { entries } = await store.history(id, { limit, ...withSignal(signal) });
  const oldestFirst = entries.toReversed();
  if (record === undefined) return oldestFirst.map(withoutChanges);
  const told = oldestFirst.map((entry) => {
    const changes = entry.changes.filter(
      ({ path, from, to }) =>
        !path.endsWith(".fk") ||
        [from, to].every((key) => key === undefined || visibility.seesForeignKey(key, record)),
    );
    return { ...entry, changes };
  });
  if (visibility.seesEveryColumn(record)) return told;
  // What once was a column may have been a hidden one, so only names of columns that are seen now are told.
  const { columns, hidden } = viewColumns(record, visibility);
  const seen = new Set(columns.map(({ name }) => name));
  return told.map((entry) => {
    return {
      ...entry,
      changes: entry.changes.filter((change) => isTold(change, { seen, hidden })),
    };
  });
}

function withoutChanges(entry: HistoryEntry): HistoryEntry {
  return { ...entry, changes: [] };
}

function isTold(
  { path, from = "", to = "" }: HistoryEntry["changes"][number],
  { seen, hidden }: { seen: ReadonlySet<string>; hidden: { isNamedIn(text: string): boolean } },
): boolean {
  if (hidden.isNamedIn(`${path} ${from} ${to}`)) return false;
  if (!path.startsWith("columns.")) return path.startsWith("cap.") || path.startsWith("pushdown.");
  return [...seen].some(
    (name) => path === `columns.${name}` || path.startsWith(`columns.${name}.`),
  );
}
