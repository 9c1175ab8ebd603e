import { isDeepStrictEqual } from "node:util";

import type { ResourceColumn, ResourceInput, ResourceRecord } from "@ccl/catalog";
import { canonicalJson } from "@ccl/core";
import { isRecord, type JsonRecord, stringAt } from "@ccl/core/json";

/** The three versions of a resource that a merge compares. */
interface ImportStates {
  /** The resource in the source at the last import. */
  base: ResourceInput;
  /** The resource in the catalog, with people's edits. */
  current: ResourceRecord;
  /** The resource in the source now. */
  incoming: ResourceInput;
}

/** Fields that the catalog derives. */
const derived = new Set(["rev", "schema_hash", "cap_hash", "derived"]);
/**
 * Fields that people write. If both sides changed one, the catalog's value is kept. For other fields, the source wins.
 */
const words = new Set(["title", "description", "owner", "unit"]);
/**
 * Lists that are merged entry by entry: entries that the source adds or removes are applied, and those that people
 * added are kept.
 */
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

/** Merges the source's current version with people's edits in the catalog. */
export function mergeImported({ base, current, incoming }: ImportStates): ResourceInput {
  const edited = inputOf(current);
  // The catalog fills this in if the source has none.
  if (base.cap === undefined && incoming.cap === undefined) delete edited["cap"];
  const merged = mergeMembers({ ...base }, edited, { ...incoming });
  return {
    ...merged,
    id: incoming.id,
    kind: String(merged["kind"]),
    title: String(merged["title"]),
  };
}

/** Turns a record into input for registration. */
function inputOf({ derived: derivedNames = [], ...record }: ResourceRecord): JsonRecord {
  const members = Object.entries(record).filter(
    ([name]) => !derived.has(name) && !derivedNames.includes(name),
  );
  const input: JsonRecord = Object.fromEntries(members);
  if (derivedNames.includes("shape.cols") && record.shape !== undefined) {
    const { cols: _, ...shape } = record.shape;
    input["shape"] = shape;
  }
  return input;
}

function mergeMembers(base: JsonRecord, current: JsonRecord, incoming: JsonRecord): JsonRecord {
  const names = [
    ...new Set([...Object.keys(incoming), ...Object.keys(current), ...Object.keys(base)]),
  ];
  const merged: JsonRecord = {};
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

/** Merges columns in the source's order. Columns that people added come last. */
function mergeColumns(
  base: readonly ResourceColumn[],
  current: readonly ResourceColumn[],
  incoming: readonly ResourceColumn[],
): ResourceColumn[] {
  const before = byPlace(base);
  const edited = byPlace(current);
  const imported = byPlace(incoming);
  const merged = [...imported].map(([place, column]) => {
    const editedColumn = edited.get(place);
    if (editedColumn === undefined) return column;
    return {
      ...mergeMembers({ ...before.get(place) }, { ...editedColumn }, { ...column }),
      name: column.name,
    };
  });
  const added = [...edited].filter(([place]) => !imported.has(place) && !before.has(place));
  return [...merged, ...added.map(([, column]) => column)];
}

/** Maps columns by `in` and name, since a parameter and a response field may share a name. */
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
  const edited = new Set(current.map(canonicalJson));
  return [
    ...incoming.filter(
      (entry) => edited.has(canonicalJson(entry)) || !before.has(canonicalJson(entry)),
    ),
    ...current.filter(
      (entry) => !before.has(canonicalJson(entry)) && !now.has(canonicalJson(entry)),
    ),
  ];
}

/** Compares canonical JSON last, since it takes ten times as long. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left === "string" && typeof right === "string") return false;
  return isDeepStrictEqual(left, right) || textOf(left) === textOf(right);
}

/** Returns canonical JSON. Undefined, empty lists and empty objects count as equal. */
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
  return stringAt(value, "name") !== undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
