import { compareCodeUnits } from "../record/compare-code-units.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import type { FacetCount, FacetFilter } from "./search-index.ts";

/** Facets that tags can't add to. */
const ownFacets: ReadonlySet<string> = new Set(["kind", "owner", "cap", "tag"]);

/** A facet and its value. */
export type Facet = readonly [name: string, value: string];

/** Which slots have which facet. */
export interface FacetTable {
  facets: Facet[];
  /** Facet number by name, then by value. */
  numbers: Map<string, Map<string, number>>;
  /** Slots by facet number, ascending; those of dead slots stay until the next compaction. */
  slots: number[][];
  /** Facet numbers by slot. */
  ofSlot: (Int32Array | undefined)[];
}

/** A table of no slots. */
export function createFacetTable(): FacetTable {
  return { facets: [], numbers: new Map(), slots: [], ofSlot: [] };
}

/** The facets of a record, each once, in code unit order. */
export function facetsOf(record: ResourceRecord): Facet[] {
  const found: Facet[] = [["kind", record.kind]];
  if (record.owner !== undefined) found.push(["owner", record.owner]);
  for (const cap of record.cap) found.push(["cap", cap]);
  for (const tag of record.tags) {
    found.push(["tag", tag]);
    const colon = tag.indexOf(":");
    if (colon > 0 && !ownFacets.has(tag.slice(0, colon)))
      found.push([tag.slice(0, colon), tag.slice(colon + 1)]);
  }
  return [...found]
    .sort(compareFacets)
    .filter((facet, at, all) => at === 0 || compareFacets(facet, all[at - 1] ?? facet) !== 0);
}

/** The order of facets in a saved index. */
export function compareFacets(left: Facet, right: Facet): number {
  return compareCodeUnits(left[0], right[0]) || compareCodeUnits(left[1], right[1]);
}

/** Notes the facets of a new slot. */
export function addFacets(table: FacetTable, slot: number, facets: readonly Facet[]): void {
  const numbers = facets.map((facet) => numberOf(table, facet));
  for (const number of numbers) table.slots[number]?.push(slot);
  table.ofSlot[slot] = Int32Array.from(numbers);
}

function numberOf(table: FacetTable, facet: Facet): number {
  const [name, value] = facet;
  const values = table.numbers.get(name) ?? new Map<string, number>();
  table.numbers.set(name, values);
  const known = values.get(value);
  if (known !== undefined) return known;
  const number = table.facets.length;
  values.set(value, number);
  table.facets.push(facet);
  table.slots.push([]);
  return number;
}

/** Clears all in the mask but the slots that have one of the values of every facet. */
export function keepFacets(table: FacetTable, filter: FacetFilter, mask: Uint8Array): void {
  for (const [name, wanted] of Object.entries(filter)) {
    const values = table.numbers.get(name);
    const having = new Uint8Array(mask.length);
    for (const value of typeof wanted === "string" ? [wanted] : wanted) {
      for (const slot of table.slots[values?.get(value) ?? -1] ?? []) having[slot] = 1;
    }
    for (let slot = 0; slot < mask.length; slot += 1)
      mask[slot] = (mask[slot] ?? 0) & (having[slot] ?? 0);
  }
}

/** Counts facets over slots; most frequent first, ties by value, at most `limit` values a facet. */
export function countSlots(
  table: FacetTable,
  slots: Iterable<number>,
  options: { facets: readonly string[] | undefined; limit: number },
): Record<string, FacetCount[]> {
  const counts = new Float64Array(table.facets.length);
  for (const slot of slots) {
    for (const number of table.ofSlot[slot] ?? []) counts[number] = (counts[number] ?? 0) + 1;
  }
  const byName = new Map<string, FacetCount[]>();
  for (const name of options.facets ?? []) byName.set(name, []);
  table.facets.forEach(([name, value], number) => {
    const count = counts[number] ?? 0;
    if (count === 0 || (options.facets !== undefined && !options.facets.includes(name))) return;
    const values = byName.get(name) ?? [];
    values.push({ value, count });
    byName.set(name, values);
  });
  const ordered = [...byName].sort(([left], [right]) => compareCodeUnits(left, right));
  return Object.fromEntries(
    ordered.map(([name, values]) => [
      name,
      values
        .sort(
          (left, right) => right.count - left.count || compareCodeUnits(left.value, right.value),
        )
        .slice(0, options.limit),
    ]),
  );
}
