import { sha256Hex } from "@ccl/core";

import { compareCodeUnits } from "../record/compare-code-units.ts";
import { createByteWriter, type ByteWriter } from "./byte-writer.ts";
import { compareFacets, type Facet } from "./facet-table.ts";
import type { IndexState } from "./index-state.ts";
import { fieldCount } from "./postings.ts";
import { searchFields } from "./searchable-fields.ts";
import type { VectorPrecision } from "./vector-matrix.ts";

/** First bytes of a saved index. */
export const savedMagic = "CCLINDEX";
/** Counts up when the format changes. */
export const savedVersion = 1;
/** An occurrence is below it. */
export const occurrenceLimit = 65_536;

/** The part of a saved index that is JSON; numbers in the rest point into its lists. */
export interface SavedHeader {
  analyzer: string;
  fields: readonly string[];
  /** All lists in code unit order. */
  ids: string[];
  containers: string[];
  facets: Facet[];
  terms: string[];
  precision: VectorPrecision;
  dimensions: number;
  vectorCount: number;
}

/**
 * The index as bytes, the same for the same documents whatever the order of changes: magic, version, length of the header,
 * header, body of counts, and the SHA-256 of all before.
 */
export function saveState(state: IndexState, analyzer: string): Uint8Array {
  const order = [...state.slots.keys()].sort(compareCodeUnits);
  const slots = order.map((id) => state.slots.get(id) ?? 0);
  const ranks = new Int32Array(state.ids.length).fill(-1);
  slots.forEach((slot, rank) => (ranks[slot] = rank));
  const header = headerOf(state, analyzer, order);
  const writer = createByteWriter();
  writer.writeBytes(new TextEncoder().encode(savedMagic));
  writer.writeCount(savedVersion);
  const json = new TextEncoder().encode(JSON.stringify(header));
  writer.writeCount(json.length);
  writer.writeBytes(json);
  writeDocuments(writer, { state, header, slots });
  writeTerms(writer, { state, header, ranks });
  writeVectors(writer, state, slots);
  const body = writer.finish();
  writer.writeBytes(hexToBytes(sha256Hex(body)));
  return writer.finish();
}

/** The bytes of hexadecimal digits. */
export function hexToBytes(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16),
  );
}

function headerOf(state: IndexState, analyzer: string, ids: string[]): SavedHeader {
  const { text, facets, vectors } = state;
  const used = new Set(facets.ofSlot.flatMap((numbers) => [...(numbers ?? [])]));
  return {
    analyzer,
    fields: searchFields,
    ids,
    containers: [...state.containerNumbers]
      .filter(([, number]) => (state.containerSizes[number] ?? 0) > 0)
      .map(([name]) => name)
      .sort(compareCodeUnits),
    facets: facets.facets.filter((_, number) => used.has(number)).sort(compareFacets),
    terms: text.terms
      .filter((_, id) => (text.postings[id]?.documents ?? 0) > 0)
      .sort(compareCodeUnits),
    precision: vectors.precision,
    dimensions: vectors.dimensions,
    vectorCount: vectors.rows.size,
  };
}

function writeDocuments(
  writer: ByteWriter,
  { state, header, slots }: { state: IndexState; header: SavedHeader; slots: readonly number[] },
): void {
  const containerRanks = new Map(
    header.containers.map((name, rank) => [state.containerNumbers.get(name), rank]),
  );
  const facetRanks = new Map(
    header.facets.map(([name, value], rank) => [state.facets.numbers.get(name)?.get(value), rank]),
  );
  for (const slot of slots) {
    writer.writeCount(containerRanks.get(state.containers[slot]) ?? 0);
    for (let field = 0; field < fieldCount; field += 1) {
      writer.writeCount(state.text.lengths[slot * fieldCount + field] ?? 0);
    }
    const facets = Array.from(
      state.facets.ofSlot[slot] ?? [],
      (number) => facetRanks.get(number) ?? 0,
    );
    writer.writeCount(facets.length);
    for (const rank of facets.sort((left, right) => left - right)) writer.writeCount(rank);
  }
}

function writeTerms(
  writer: ByteWriter,
  { state, header, ranks }: { state: IndexState; header: SavedHeader; ranks: Int32Array },
): void {
  for (const term of header.terms) {
    const postings = state.text.postings[state.text.termIds.get(term) ?? -1];
    if (postings === undefined) continue;
    const entries = new Float64Array(postings.size);
    let size = 0;
    for (let at = 0; at < postings.size; at += 1) {
      const rank = ranks[postings.slots[at] ?? 0] ?? -1;
      if (rank < 0) continue;
      entries[size] = rank * occurrenceLimit + (postings.occurrences[at] ?? 0);
      size += 1;
    }
    const sorted = entries.subarray(0, size).sort();
    writer.writeCount(size);
    let before = 0;
    for (const entry of sorted) {
      const rank = Math.floor(entry / occurrenceLimit);
      writer.writeCount(rank - before);
      writer.writeCount(entry % occurrenceLimit);
      before = rank;
    }
  }
}

function writeVectors(writer: ByteWriter, { vectors }: IndexState, slots: readonly number[]): void {
  slots.forEach((slot, rank) => {
    const row = vectors.rows.get(slot);
    if (row === undefined) return;
    writer.writeCount(rank);
    writer.writeFloat32(vectors.scales[row] ?? 0);
    const values = vectors.values.subarray(
      row * vectors.dimensions,
      (row + 1) * vectors.dimensions,
    );
    if (values instanceof Int8Array)
      writer.writeBytes(new Uint8Array(values.buffer, values.byteOffset, values.length));
    else for (const value of values) writer.writeFloat32(value);
  });
}
