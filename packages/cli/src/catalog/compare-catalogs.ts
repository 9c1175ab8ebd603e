import { isDeepStrictEqual } from "node:util";

import {
  type ChangeSeverity,
  diffResource,
  type ResourceChange,
  type ResourceInput,
} from "@ccl/catalog";

/** What became of one resource. */
export interface CatalogChange {
  id: string;
  kind: "added" | "removed" | "changed";
  /** The worst of the changes; removed is breaking, added is additive. */
  severity: ChangeSeverity;
  /** After the change; before it, for a removed one. */
  rev?: number | undefined;
  /** Breaking first; empty unless changed. */
  changes: ResourceChange[];
}

/** How many changes there are of each severity, by resource. */
export type SeverityCounts = Record<ChangeSeverity, number>;

/** Names the severities, worst first. */
export const severities: readonly ChangeSeverity[] = ["breaking", "additive", "cosmetic"];

/** Every resource that is not what it was: the worst first, then by id. */
export function compareCatalogs(
  before: readonly ResourceInput[],
  after: readonly ResourceInput[],
): CatalogChange[] {
  const old = new Map(before.map((resource) => [resource.id, resource]));
  const now = new Set(after.map(({ id }) => id));
  const changes: CatalogChange[] = [];
  for (const resource of after) {
    const { id } = resource;
    const was = old.get(id);
    if (was === undefined) {
      changes.push({ id, kind: "added", severity: "additive", ...revOf(resource), changes: [] });
      continue;
    }
    if (isDeepStrictEqual(was, resource)) continue;
    const diff = diffResource(was, resource);
    if (diff.severity === "none") continue;
    changes.push({
      id,
      kind: "changed",
      severity: diff.severity,
      ...revOf(resource),
      changes: diff.changes,
    });
  }
  for (const resource of before) {
    if (now.has(resource.id)) continue;
    changes.push({
      id: resource.id,
      kind: "removed",
      severity: "breaking",
      ...revOf(resource),
      changes: [],
    });
  }
  const rank = ({ severity }: CatalogChange): number => severities.indexOf(severity);
  return changes.sort((left, right) => rank(left) - rank(right) || (left.id < right.id ? -1 : 1));
}

/** Counts resources by the worst that happened to them. */
export function countSeverities(changes: readonly CatalogChange[]): SeverityCounts {
  const counts: SeverityCounts = { breaking: 0, additive: 0, cosmetic: 0 };
  for (const { severity } of changes) counts[severity] += 1;
  return counts;
}

/** True where a change is as bad as `limit`, or worse. */
export function isReached(
  changes: readonly CatalogChange[],
  limit: ChangeSeverity | undefined,
): boolean {
  if (limit === undefined) return false;
  return changes.some(({ severity }) => severities.indexOf(severity) <= severities.indexOf(limit));
}

function revOf({ rev }: ResourceInput & { rev?: unknown }): { rev?: number | undefined } {
  return typeof rev === "number" ? { rev } : {};
}
