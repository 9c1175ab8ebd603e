import { isDeepStrictEqual } from "node:util";

import type { ResourceColumn, ResourceInput, ResourceRecord } from "@ccl/catalog";
import { canonicalJson } from "@ccl/core";

/** One resource three times. */
export interface ImportStates {
  /** As the source gave it before. */
  base: ResourceInput;
  /** As the catalog has it, with what people wrote on it. */
  current: ResourceRecord;
  /** As the source gives it now. */
  incoming: ResourceInput;
}

type Members = Record<string, unknown>;

/** What the catalog derives by itself. */
const derived = new Set(["rev", "schema_hash", "cap_hash", "derived"]);
/** Words of people: where both sides changed one, it stays. Anything else is the source's to say. */
const words = new Set(["title", "description", "owner", "unit", "examples"]);
/** Sets of entries: what a source gains and loses is added and taken, and what people added stays. */
const lists = new Set(["tags", "snippets", "anti_patterns", "examples", "secrets"]);
const nested = new Set([
  "usage",
  "access",
  "quality",
  "constraints",
  "cost_hint",
  "shape",
  "pushdown",
]);

/** What the source says now, with what people changed in the catalog since. */
export function mergeImported({ base, current, incoming }: ImportStates): ResourceInput {
  const edited = inputOf(current);
  // Filled in by the catalog where a source names none.
  if (base.cap === undefined && incoming.cap === undefined) delete edited["cap"];
  const merged = mergeMembers({ ...base }, edited, { ...incoming });
  return {
    ...merged,
    id: incoming.id,
    kind: String(merged["kind"]),
    title: String(merged["title"]),
  };
}

/** A record as it would be registered. */
function inputOf({ derived: made = [], ...record }: ResourceRecord): Members {
  const members = Object.entries(record).filter(
    ([name]) => !derived.has(name) && !made.includes(name),
  );
  const input: Members = Object.fromEntries(members);
  if (made.includes("shape.cols") && record.shape !== undefined) {
    const { cols: _, ...shape } = record.shape;
    input["shape"] = shape;
  }
  return input;
}

function mergeMembers(base: Members, current: Members, incoming: Members): Members {
  const names = [
    ...new Set([...Object.keys(incoming), ...Object.keys(current), ...Object.keys(base)]),
  ];
  const merged: Members = {};
  for (const name of names) {
    const value = mergeMember(name, [base[name], current[name], incoming[name]]);
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

function mergeMember(
  name: string,
  [base, current, incoming]: [unknown, unknown, unknown],
): unknown {
  if (isSame(base, current)) return incoming;
  if (isSame(base, incoming)) return current;
  if (name === "columns")
    return mergeColumns(columnsOf(base), columnsOf(current), columnsOf(incoming));
  if (lists.has(name)) return mergeLists(listOf(base), listOf(current), listOf(incoming));
  if (nested.has(name))
    return mergeMembers(membersOf(base), membersOf(current), membersOf(incoming));
  return words.has(name) ? current : incoming;
}

/** In the source's order; columns that people added by hand come last. */
function mergeColumns(
  base: readonly ResourceColumn[],
  current: readonly ResourceColumn[],
  incoming: readonly ResourceColumn[],
): ResourceColumn[] {
  const before = byPlace(base);
  const edited = byPlace(current);
  const given = byPlace(incoming);
  const merged = [...given].map(([place, column]) => {
    const own = edited.get(place);
    if (own === undefined) return column;
    return {
      ...mergeMembers({ ...before.get(place) }, { ...own }, { ...column }),
      name: column.name,
    };
  });
  const added = [...edited].filter(([place]) => !given.has(place) && !before.has(place));
  return [...merged, ...added.map(([, column]) => column)];
}

/** A parameter and a field of the answer may share a name. */
function byPlace(columns: readonly ResourceColumn[]): Map<string, ResourceColumn> {
  const places = new Map<string, ResourceColumn>();
  for (const column of columns) {
    const name = JSON.stringify([column["in"] ?? "", column.name]);
    let place = name;
    for (let count = 2; places.has(place); count += 1) place = `${name} ${count}`;
    places.set(place, column);
  }
  return places;
}

function mergeLists(
  base: readonly unknown[],
  current: readonly unknown[],
  incoming: readonly unknown[],
): unknown[] {
  const before = new Set(base.map(canonicalJson));
  const now = new Set(incoming.map(canonicalJson));
  const taken = new Set(
    [...before].filter((entry) => !current.some((each) => canonicalJson(each) === entry)),
  );
  const added = current.filter(
    (entry) => !before.has(canonicalJson(entry)) && !now.has(canonicalJson(entry)),
  );
  return [...incoming.filter((entry) => !taken.has(canonicalJson(entry))), ...added];
}

/** Mostly told without the canonical texts, which take ten times as long. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left === "string" && typeof right === "string") return false;
  return isDeepStrictEqual(left, right) || textOf(left) === textOf(right);
}

/** Nothing, no entries and no members are one. */
function textOf(value: unknown): string {
  if (
    value === undefined ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0)
  )
    return "";
  return canonicalJson(value);
}

function columnsOf(value: unknown): readonly ResourceColumn[] {
  return listOf(value).filter(isColumn);
}

function isColumn(value: unknown): value is ResourceColumn {
  return (
    typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
