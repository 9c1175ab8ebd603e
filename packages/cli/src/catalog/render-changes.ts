import { formatCount } from "../output/format-number.ts";
import type { Style } from "../output/style.ts";
import { type Column, renderTable } from "../output/table.ts";
import { type CatalogChange, countSeverities, severities } from "./compare-catalogs.ts";

const COLUMNS: Column[] = ["severity", "change", "resource", "where", "before", "after"];
const MAX_TERMINAL_ROWS = 60;

/** One line a change, the worst first; on a terminal so many as one reads. */
export function renderChanges(changes: readonly CatalogChange[], style: Style): string {
  const rows = changes.flatMap((change) => rowsOf(change));
  if (rows.length === 0) return "";
  const shown = style.isTerminal ? rows.slice(0, MAX_TERMINAL_ROWS) : rows;
  const rest = rows.length - shown.length;
  return (
    renderTable(COLUMNS, shown, style) +
    (rest === 0 ? "" : `[${formatCount(rest, "more change")}; --json has all]\n`)
  );
}

/** `1 breaking, 3 additive`; `no changes` where there are none. */
export function summariseChanges(changes: readonly CatalogChange[]): string {
  const counts = countSeverities(changes);
  const parts = severities
    .filter((severity) => counts[severity] > 0)
    .map((severity) => `${counts[severity]} ${severity}`);
  return parts.length === 0 ? "no changes" : parts.join(", ");
}

function rowsOf({ id, kind, severity, rev, changes }: CatalogChange): string[][] {
  if (kind !== "changed") return [[severity, kind, id, "", "", ""]];
  const name = rev === undefined ? id : `${id} (rev ${rev})`;
  return changes.map((change) => [
    change.severity,
    change.kind,
    name,
    change.path,
    change.from ?? "",
    change.to ?? "",
  ]);
}
