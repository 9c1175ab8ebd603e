import { canonicalJson, compareCodeUnits } from "@ccl/core";

import { pairColumns } from "./pair-columns.ts";
import { inertText } from "./inert-text.ts";
import type { ResourceColumn, ResourceInput } from "./resource-record.ts";

/**
 * `breaking`: an existing query may fail or return wrong data. `additive`: new queries are possible. `cosmetic`: no
 * query is affected.
 */
export type ChangeSeverity = "breaking" | "additive" | "cosmetic";

/** One change. */
export interface ResourceChange {
  severity: ChangeSeverity;
  kind:
    | "column_added"
    | "column_removed"
    | "column_renamed"
    | "column_changed"
    | "capability_added"
    | "capability_removed"
    | "field_changed";
  /** The changed field, e.g. `columns.amount.type`, `cap.sort` or `description`. */
  path: string;
  /** Absent if there was no value. Cut to 200 characters. */
  from?: string | undefined;
  to?: string | undefined;
}

/** Changes from one state of a resource to the next. */
export interface ResourceDiff {
  /** The worst severity among the changes. `none` if there are no changes. */
  severity: ChangeSeverity | "none";
  /** Breaking changes first, then sorted by path. */
  changes: ResourceChange[];
}

const ranks: Record<ChangeSeverity, number> = { breaking: 0, additive: 1, cosmetic: 2 };
/** Fields that are not compared here, because the catalog derives them or they have their own comparison. */
const apart = new Set([
  "columns",
  "cap",
  "pushdown",
  "rev",
  "schema_hash",
  "cap_hash",
  "updated_at",
  "derived",
]);

/**
 * Compares two states of a resource. A removed and an added column of the same type count as one rename if their names
 * are similar or their descriptions equal.
 */
export function diffResource(before: ResourceInput, after: ResourceInput): ResourceDiff {
  const changes = [
    ...columnChanges(before, after),
    ...capabilityChanges(before, after),
    ...fieldChanges(before, after),
  ];
  changes.sort(
    (left, right) =>
      ranks[left.severity] - ranks[right.severity] || compareCodeUnits(left.path, right.path),
  );
  return { severity: changes[0]?.severity ?? "none", changes };
}

function columnChanges(before: ResourceInput, after: ResourceInput): ResourceChange[] {
  const { kept, renamed, removed, added } = pairColumns(before.columns ?? [], after.columns ?? []);
  const pathOf = ({ name }: ResourceColumn): string => `columns.${name}`;
  return [
    ...renamed.map(({ from, to }) => ({
      severity: "breaking" as const,
      kind: "column_renamed" as const,
      path: pathOf(from),
      from: from.name,
      to: to.name,
    })),
    ...removed.map((column) => ({
      severity: "breaking" as const,
      kind: "column_removed" as const,
      path: pathOf(column),
      from: columnText(column),
    })),
    ...added.map((column) => ({
      severity: "additive" as const,
      kind: "column_added" as const,
      path: pathOf(column),
      to: columnText(column),
    })),
    ...[...kept, ...renamed].flatMap(({ from, to }) => memberChanges(from, to)),
  ];
}

function columnText({ name, type }: ResourceColumn): string {
  return inertText(type === undefined ? name : `${name}:${type}`, 200);
}

/** Column fields whose change affects query results. `nn` is not listed, because only dropping it breaks readers. */
const hard = new Set(["type", "pk", "fk", "unit"]);

function memberChanges(from: ResourceColumn, to: ResourceColumn): ResourceChange[] {
  const changes: ResourceChange[] = [];
  for (const member of membersOf(from, to)) {
    if (member === "name" || textOf(from[member]) === textOf(to[member])) continue;
    const isBreaking = hard.has(member) || (member === "nn" && from.nn === true);
    const isGain =
      member === "nn" || member === "index" || (member === "fk" && from.fk === undefined);
    const severity =
      isGain && !(member === "nn" && from.nn === true)
        ? "additive"
        : isBreaking
          ? "breaking"
          : "cosmetic";
    const path = `columns.${from.name}.${member}`;
    changes.push({ severity, kind: "column_changed", path, ...sides(from[member], to[member]) });
  }
  return changes;
}

function capabilityChanges(before: ResourceInput, after: ResourceInput): ResourceChange[] {
  const old = capabilitiesOf(before);
  const now = capabilitiesOf(after);
  const lost = [...old].filter((name) => !now.has(name));
  const gained = [...now].filter((name) => !old.has(name));
  return [
    ...lost.map((path) => ({
      severity: "breaking" as const,
      kind: "capability_removed" as const,
      path,
    })),
    ...gained.map((path) => ({
      severity: "additive" as const,
      kind: "capability_added" as const,
      path,
    })),
  ];
}

function capabilitiesOf({ cap = [], pushdown = {} }: ResourceInput): Set<string> {
  const pushed = Object.entries(pushdown).filter(([, isAble]) => isAble === true);
  return new Set([
    ...cap.map((name) => `cap.${name}`),
    ...pushed.map(([name]) => `pushdown.${name}`),
  ]);
}

function fieldChanges(before: ResourceInput, after: ResourceInput): ResourceChange[] {
  const changes: ResourceChange[] = [];
  for (const path of membersOf(before, after)) {
    // The digest follows from the columns, if there are any.
    if (path === "schema_digest" && (after.columns ?? before.columns ?? []).length > 0) continue;
    if (apart.has(path) || textOf(before[path]) === textOf(after[path])) continue;
    const severity = ["kind", "uri", "schema_digest"].includes(path) ? "breaking" : "cosmetic";
    changes.push({ severity, kind: "field_changed", path, ...sides(before[path], after[path]) });
  }
  return changes;
}

function membersOf(left: object, right: object): string[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
}

function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : canonicalJson(value);
}

function sides(from: unknown, to: unknown): { from?: string | undefined; to?: string | undefined } {
  return {
    from: from === undefined ? undefined : inertText(textOf(from), 200),
    to: to === undefined ? undefined : inertText(textOf(to), 200),
  };
}
