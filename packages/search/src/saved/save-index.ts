import { sha256Hex, compareCodeUnits } from "@ccl/core";

import { sortFacets } from "../table/document-table.ts";
import { entryStep } from "../text/text-postings.ts";
import { createByteWriter, type ByteWriter } from "./byte-writer.ts";
import {
  hexToBytes,
  savedMagic,
  savedVersion,
  type IndexFormat,
  type IndexState,
  type SavedHeader,
} from "./saved-index.ts";

/**
 * Serializes the index. The same documents produce the same bytes, regardless of the order of
 * changes. Format: magic, version, length of the header, header, body of counts, and the SHA-256 of
 * everything before it.
 */
export function saveIndex(state: IndexState, format: IndexFormat): Uint8Array {
  const { table, vectors } = state;
  const ids = [...table.slots.keys()].sort(compareCodeUnits);
  const slots = ids.map((id) => table.slots.get(id) ?? 0);
  const entries = rankedEntries(state, slots);
  const header: SavedHeader = {
    analyzer: format.analyzer,
    fields: format.fields,
    ids,
    containers: [...table.containerNumbers]
      .filter(([, number]) => (table.containerSizes[number] ?? 0) > 0)
      .map(([name]) => name)
      .sort(compareCodeUnits),
    facets: sortFacets(table.facets.flat()),
    terms: entries.map(([term]) => term),
    precision: format.precision,
    dimensions: vectors.dimensions,
    vectorCount: vectors.rows.size,
  };
  const writer = createByteWriter();
  writer.writeBytes(savedMagic);
  writer.writeCount(savedVersion);
  const json = new TextEncoder().encode(JSON.stringify(header));
  writer.writeCount(json.length);
  writer.writeBytes(json);
  writeDocuments(writer, state, { header, slots });
  for (const [, ranked] of entries) writeEntries(writer, ranked);
  writeVectors(writer, state, slots);
  writer.writeBytes(hexToBytes(sha256Hex(writer.finish())));
  return writer.finish();
}

/** Returns the terms in order with their entries. In each entry, the id's rank replaces its slot. */
function rankedEntries({ text }: IndexState, slots: readonly number[]): [string, number[]][] {
  const ranks = new Map(slots.map((slot, rank) => [slot, rank]));
  return [...text.keys()]
    .map((term): [string, number[]] => {
      const ranked = (text.get(term) ?? []).flatMap((entry) => {
        const rank = ranks.get(Math.floor(entry / entryStep));
        return rank === undefined ? [] : [rank * entryStep + (entry % entryStep)];
      });
      return [term, ranked.sort((left, right) => left - right)];
    })
    .filter(([, ranked]) => ranked.length > 0)
    .sort(([left], [right]) => compareCodeUnits(left, right));
}

function writeDocuments(
  writer: ByteWriter,
  { table }: IndexState,
  { header, slots }: { header: SavedHeader; slots: readonly number[] },
): void {
  const containerRanks = new Map(
    header.containers.map((name, rank) => [table.containerNumbers.get(name), rank]),
  );
  const facetRanks = new Map(header.facets.map((facet, rank) => [JSON.stringify(facet), rank]));
  for (const slot of slots) {
    writer.writeCount(containerRanks.get(table.containers[slot]) ?? 0);
    for (const length of table.lengths[slot] ?? []) writer.writeCount(length);
    const facets = table.facets[slot] ?? [];
    writer.writeCount(facets.length);
    for (const facet of facets) writer.writeCount(facetRanks.get(JSON.stringify(facet)) ?? 0);
  }
}

/** Writes the size of the entries first, so that a reader can skip them until they are needed. */
function writeEntries(saved: ByteWriter, ranked: readonly number[]): void {
  const writer = createByteWriter();
  let before = 0;
  for (const entry of ranked) {
    const rank = Math.floor(entry / entryStep);
    writer.writeCount(rank - before);
    writer.writeCount(entry % entryStep);
    before = rank;
  }
  const bytes = writer.finish();
  saved.writeCount(bytes.length);
  saved.writeBytes(bytes);
}

function writeVectors(writer: ByteWriter, { vectors }: IndexState, slots: readonly number[]): void {
  for (const [rank, slot] of slots.entries()) {
    const row = vectors.rows.get(slot);
    if (row === undefined) continue;
    const { values, scale } = row;
    writer.writeCount(rank);
    writer.writeFloat32(scale);
    if (values instanceof Int8Array)
      writer.writeBytes(new Uint8Array(values.buffer, values.byteOffset, values.length));
    else for (const value of values) writer.writeFloat32(value);
  }
}
