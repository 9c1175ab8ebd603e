import { compareCodeUnits } from "@ccl/core";
import type { Facet, FacetCount, FacetFilter, FacetQuery, SearchFilter } from "../search-index.ts";

/** Documents without their texts, by slot. A slot is a document number that is never reused. */
export interface DocumentTable {
  /** Undefined for a removed document. */
  ids: (string | undefined)[];
  slots: Map<string, number>;
  containerNumbers: Map<string, number>;
  /** Container number by slot. */
  containers: number[];
  /** Number of documents by container number. */
  containerSizes: number[];
  facets: (readonly Facet[])[];
  /** Number of terms by slot and field. */
  lengths: (readonly number[])[];
  /** Totals over all documents by field. */
  fieldTotals: FieldTotal[];
}

/**
 * Totals of a field over the documents that have it. Including documents without it would distort
 * the average length.
 */
interface FieldTotal {
  terms: number;
  documents: number;
}

/** Creates an empty table. */
export function createDocumentTable(): DocumentTable {
  return {
    ids: [],
    slots: new Map(),
    containerNumbers: new Map(),
    containers: [],
    containerSizes: [],
    facets: [],
    lengths: [],
    fieldTotals: [],
  };
}

/** What a table stores about a document. */
export interface TableDocument {
  id: string;
  container: string;
  facets: readonly Facet[];
  /** Number of terms by field. */
  lengths: readonly number[];
}

/** Adds a document whose id is not in the table yet. Returns its slot. */
export function addDocument(
  table: DocumentTable,
  { id, container, facets, lengths }: TableDocument,
): number {
  const slot = table.ids.length;
  table.ids.push(id);
  table.slots.set(id, slot);
  const number = table.containerNumbers.get(container) ?? table.containerSizes.length;
  table.containerNumbers.set(container, number);
  table.containers.push(number);
  table.containerSizes[number] = (table.containerSizes[number] ?? 0) + 1;
  table.facets.push(facets);
  table.lengths.push(lengths);
  countLengths(table.fieldTotals, lengths, 1);
  return slot;
}

/** Removes a document and returns its slot. Returns undefined if the id is unknown. */
export function removeDocument(table: DocumentTable, id: string): number | undefined {
  const slot = table.slots.get(id);
  if (slot === undefined) return undefined;
  const container = table.containers[slot] ?? 0;
  table.containerSizes[container] = (table.containerSizes[container] ?? 0) - 1;
  table.facets[slot] = [];
  countLengths(table.fieldTotals, table.lengths[slot] ?? [], -1);
  table.lengths[slot] = [];
  table.ids[slot] = undefined;
  table.slots.delete(id);
  return slot;
}

function countLengths(totals: FieldTotal[], lengths: readonly number[], sign: 1 | -1): void {
  for (const [field, terms] of lengths.entries()) {
    const total = (totals[field] ??= { terms: 0, documents: 0 });
    total.terms += sign * terms;
    if (terms > 0) total.documents += sign;
  }
}

/** True if removed documents waste too much memory. */
export function needsCompaction({ ids, slots }: DocumentTable): boolean {
  const removed = ids.length - slots.size;
  return removed > 64 && removed > slots.size / 2;
}

/** Compares facets in the order of a saved index. */
function compareFacets(left: Facet, right: Facet): number {
  return compareCodeUnits(left[0], right[0]) || compareCodeUnits(left[1], right[1]);
}

/** Returns the distinct facets, sorted. */
export function sortFacets(facets: readonly Facet[]): Facet[] {
  return [...facets]
    .sort(compareFacets)
    .filter((facet, at, all) => at === 0 || compareFacets(facet, all[at - 1] ?? facet) !== 0);
}

/** The documents that pass a filter. */
export interface Visible {
  /** 1 for each slot that may be found. Undefined if nothing is hidden. */
  mask: Uint8Array | undefined;
  count: number;
  /** Visible documents by container number. */
  containerSizes: ArrayLike<number>;
  /** Totals over the visible documents by field. */
  fieldTotals: readonly FieldTotal[];
}

/** Finds the documents that pass a filter. */
export function findVisible(table: DocumentTable, filter: SearchFilter = {}): Visible {
  const { allow, facets = {}, exclude = [] } = filter;
  const wanted = Object.entries(facets);
  if (allow === undefined && wanted.length === 0 && exclude.length === 0) {
    const { containerSizes, fieldTotals, slots } = table;
    return { mask: undefined, count: slots.size, containerSizes, fieldTotals };
  }
  const mask = new Uint8Array(table.ids.length);
  const containerSizes = new Int32Array(table.containerSizes.length);
  const fieldTotals: FieldTotal[] = [];
  const excluded = new Set(exclude);
  let count = 0;
  for (const id of allow ?? table.slots.keys()) {
    const slot = table.slots.get(id);
    if (slot === undefined || excluded.has(id) || !hasFacets(table.facets[slot] ?? [], facets))
      continue;
    mask[slot] = 1;
    count += 1;
    const container = table.containers[slot] ?? 0;
    containerSizes[container] = (containerSizes[container] ?? 0) + 1;
    countLengths(fieldTotals, table.lengths[slot] ?? [], 1);
  }
  return { mask, count, containerSizes, fieldTotals };
}

/** True if every required facet has one of its required values. */
export function hasFacets(facets: readonly Facet[], required: FacetFilter = {}): boolean {
  return Object.entries(required).every(([name, value]) =>
    facets.some(
      ([facetName, having]) =>
        facetName === name &&
        (typeof value === "string" ? value === having : value.includes(having)),
    ),
  );
}

/** Returns the distinct slots of the ids. */
function slotsOf({ slots }: DocumentTable, ids: Iterable<string>): number[] {
  return [...new Set(ids)].flatMap((id) => slots.get(id) ?? []);
}

/** Counts facet values, sorted by descending count, then by value. */
export function countFacets(
  table: DocumentTable,
  { filter, ids, facets, limit }: FacetQuery,
): Record<string, FacetCount[]> {
  const { mask } = findVisible(table, filter);
  const counts = new Map((facets ?? []).map((name) => [name, new Map<string, number>()]));
  const slots = ids === undefined ? table.slots.values() : slotsOf(table, ids);
  for (const slot of slots) {
    if (mask?.[slot] === 0) continue;
    for (const [name, value] of table.facets[slot] ?? []) {
      let values = counts.get(name);
      if (values === undefined && facets === undefined) counts.set(name, (values = new Map()));
      values?.set(value, (values.get(value) ?? 0) + 1);
    }
  }
  const ordered = [...counts].sort(([left], [right]) => compareCodeUnits(left, right));
  return Object.fromEntries(
    ordered.map(([name, values]) => [
      name,
      [...values]
        .map(([value, count]) => ({ value, count }))
        .sort(
          (left, right) => right.count - left.count || compareCodeUnits(left.value, right.value),
        )
        .slice(0, limit),
    ]),
  );
}
