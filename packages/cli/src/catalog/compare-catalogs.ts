import { isDeepStrictEqual } from "node:util";

import {
  type ChangeSeverity,
  diffResource,
  type ResourceChange,
  type ResourceInput,
} from "@ccl/catalog";

import { formatCount } from "../output/text.ts";
import type { Style } from "../output/style.ts";
import { type Column, renderTable } from "../output/table.ts";

/** A change to one resource. */
export interface CatalogChange {
  id: string;
  kind: "added" | "removed" | "changed";
  /** The highest severity of the changes. A removed resource is breaking, an added one is additive. */
  severity: ChangeSeverity;
  /** Revision after the change, or before it if the resource was removed. */
  rev?: number | undefined;
  /** Breaking changes first. Empty unless the resource was changed. */
  changes: ResourceChange[];
}

/** Number of resources by severity. */
export type SeverityCounts = Record<ChangeSeverity, number>;

/** The severities, worst first. */
const severities: readonly ChangeSeverity[] = ["breaking", "additive", "cosmetic"];

/** Returns every resource that differs, sorted by severity (worst first), then by id. */
export function compareCatalogs(
  before: readonly ResourceInput[],
  after: readonly ResourceInput[],
): CatalogChange[] {
  const old = new Map(before.map((resource) => [resource.id, resource]));
  const now = new Set(after.map(({ id }) => id));
  const changes: CatalogChange[] = [];
  for (const resource of after) {
    const was = old.get(resource.id);
    if (was === undefined) changes.push(catalogChange(resource, "added", "additive"));
    else if (!isDeepStrictEqual(was, resource)) {
      const { severity, changes: parts } = diffResource(was, resource);
      if (severity !== "none") changes.push(catalogChange(resource, "changed", severity, parts));
    }
  }
  for (const resource of before)
    if (!now.has(resource.id)) changes.push(catalogChange(resource, "removed", "breaking"));
  const rank = ({ severity }: CatalogChange): number => severities.indexOf(severity);
  return changes.sort((left, right) => rank(left) - rank(right) || (left.id < right.id ? -1 : 1));
}

/** Counts resources by their highest severity. */
export function countSeverities(changes: readonly CatalogChange[]): SeverityCounts {
  const counts: SeverityCounts = { breaking: 0, additive: 0, cosmetic: 0 };
  for (const { severity } of changes) counts[severity] += 1;
  return counts;
}

/** True if a change is at or above the severity `limit`. */
export function isReached(
  changes: readonly CatalogChange[],
  limit: ChangeSeverity | undefined,
): boolean {
  if (limit === undefined) return false;
  return changes.some(({ severity }) => severities.indexOf(severity) <= severities.indexOf(limit));
}

function catalogChange(
  { id, rev }: ResourceInput & { rev?: unknown },
  kind: CatalogChange["kind"],
  severity: ChangeSeverity,
  changes: ResourceChange[] = [],
): CatalogChange {
  return { id, kind, severity, rev: typeof rev === "number" ? rev : undefined, changes };
}

const COLUMNS: Column[] = ["severity", "change", "resource", "where", "before", "after"];
const MAX_TERMINAL_ROWS = 60;

/** Renders one line per change, worst first. On a terminal, the number of lines is limited. */
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

/** Returns a summary: `1 breaking, 3 additive`, or `no changes`. */
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
