import { compareCodeUnits, sha256Hex } from "@ccl/core";
import { entryStep, type TextPostings } from "../text/text-postings.ts";
import {
  hashBytes,
  savedVersion,
  type IndexFormat,
  type IndexState,
  type SavedHeader,
} from "./saved-index.ts";

/**
 * Serializes the index. The same documents produce the same bytes, regardless of the order of
 * changes. Format: a line with the SHA-256 of the rest, a line of JSON, and the values of the
 * vectors.
 */
export function saveIndex(state: IndexState, format: IndexFormat): Uint8Array {
  const { table, vectors } = state;
  const slots = [...table.slots]
    .sort(([left], [right]) => compareCodeUnits(left, right))
    .map(([, slot]) => slot);
  const containers = [...table.containerNumbers.keys()];
  const rows = slots.flatMap((slot, place) => {
    const row = vectors.rows.get(slot);
    return row === undefined ? [] : [{ ...row, place }];
  });
  const header: SavedHeader = {
    ...format,
    version: savedVersion,
    documents: slots.map((slot) => ({
      id: table.ids[slot] ?? "",
      container: containers[table.containers[slot] ?? 0] ?? "",
      facets: table.facets[slot] ?? [],
      lengths: table.lengths[slot] ?? [],
    })),
    terms: termsOf(state.text, slots),
    dimensions: vectors.dimensions,
    vectors: rows.map(({ place, scale }) => [place, scale]),
  };
  const encoder = new TextEncoder();
  const json = encoder.encode(`${JSON.stringify(header)}\n`);
  const vectorBytes = rows[0]?.values.byteLength ?? 0;
  const bytes = new Uint8Array(hashBytes + json.length + rows.length * vectorBytes);
  bytes.set(json, hashBytes);
  for (const [at, { values }] of rows.entries()) {
    const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    bytes.set(raw, hashBytes + json.length + at * vectorBytes);
  }
  bytes.set(encoder.encode(`${sha256Hex(bytes.subarray(hashBytes))}\n`));
  return bytes;
}

/** Returns the terms in order. A document's place in `slots` replaces its slot. */
function termsOf(text: TextPostings, slots: readonly number[]): SavedHeader["terms"] {
  const places = new Map(slots.map((slot, place) => [slot, place]));
  return [...text]
    .map(([term, entries]): [string, number[]] => {
      const kept = entries.flatMap((entry) => {
        const place = places.get(Math.floor(entry / entryStep));
        return place === undefined ? [] : [place * entryStep + (entry % entryStep)];
      });
      kept.sort((left, right) => left - right);
      return [term, kept.map((entry, at) => entry - (kept[at - 1] ?? 0))];
    })
    .filter(([, steps]) => steps.length > 0)
    .sort(([left], [right]) => compareCodeUnits(left, right));
}
