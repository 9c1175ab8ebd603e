import { sha256Hex } from "@ccl/core";

import { CatalogError } from "../catalog-error.ts";
import { createByteReader, damaged, type ByteReader } from "./byte-reader.ts";
import { compareFacets, addFacets, type Facet } from "./facet-table.ts";
import { createIndexState, takeSlot, type IndexState } from "./index-state.ts";
import {
  appendTerm,
  createTermPostings,
  fieldCount,
  occurrenceStep,
  reserveLengths,
  setLengths,
  type TermPostings,
  type TextPostings,
} from "./postings.ts";
import {
  hexToBytes,
  occurrenceLimit,
  savedMagic,
  savedVersion,
  type SavedHeader,
} from "./save-state.ts";
import { searchFields } from "./searchable-fields.ts";
import { addRow, type VectorPrecision } from "./vector-matrix.ts";

const hashSize = 32;
const longestLength = 2 ** 32 - 1;
const mostDimensions = 65_536;

/**
 * Reads a saved index. Throws `store_damaged` where the bytes are not what was saved, `invalid_options` where another
 * version, analyzer or precision saved them.
 */
export function restoreState(
  bytes: Uint8Array,
  expected: { analyzer: string; precision: VectorPrecision },
): IndexState {
  const reader = createByteReader(checkedBody(bytes));
  const header = readHeader(reader, expected);
  const state = createIndexState(header.precision);
  readDocuments(reader, state, header);
  readTerms(reader, state, header);
  readVectors(reader, state, header);
  if (!reader.isAtEnd()) throw damaged("something follows its end");
  return state;
}

function checkedBody(bytes: Uint8Array): Uint8Array {
  const magic = new TextEncoder().encode(savedMagic);
  if (bytes.length < magic.length + hashSize + 2 || magic.some((byte, at) => bytes[at] !== byte)) {
    throw damaged("it does not begin like one");
  }
  const version = bytes[magic.length];
  if (version !== savedVersion) {
    const advice = "Build it again from the records.";
    throw new CatalogError(
      "invalid_options",
      `The saved index has format ${version}, this code reads ${savedVersion}. ${advice}`,
    );
  }
  const body = bytes.subarray(0, bytes.length - hashSize);
  const hash = hexToBytes(sha256Hex(body));
  if (hash.some((byte, at) => bytes[body.length + at] !== byte))
    throw damaged("its hash does not match");
  return body.subarray(magic.length + 1);
}

function readHeader(
  reader: ByteReader,
  expected: { analyzer: string; precision: VectorPrecision },
): SavedHeader {
  const header = parseHeader(reader.readBytes(reader.readCount(longestLength)));
  if (header.analyzer !== expected.analyzer || header.fields.join() !== searchFields.join()) {
    const names = `by the analyzer ${JSON.stringify(header.analyzer)}, not ${JSON.stringify(expected.analyzer)}`;
    throw new CatalogError(
      "invalid_options",
      `The saved index was made ${names}, or of other fields. Build it again.`,
    );
  }
  if (header.precision !== expected.precision) {
    const names = `${header.precision} vectors, not ${expected.precision}`;
    throw new CatalogError(
      "invalid_options",
      `The saved index holds ${names}. Open it with the precision it has.`,
    );
  }
  return header;
}

function parseHeader(bytes: Uint8Array): SavedHeader {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new CatalogError(
      "store_damaged",
      "The header of the saved index is no JSON. Build it again.",
      { cause },
    );
  }
  if (typeof parsed !== "object" || parsed === null) throw damaged("its header is no object");
  const { analyzer, precision } = { analyzer: undefined, precision: undefined, ...parsed };
  const read = new Map<string, unknown>(Object.entries(parsed));
  const isPrecision = (value: unknown): value is VectorPrecision =>
    value === "float32" || value === "int8";
  if (typeof analyzer !== "string" || !isPrecision(precision))
    throw damaged("its header lacks a name");
  return {
    analyzer,
    precision,
    fields: stringsOf(read.get("fields")),
    ids: ascending(stringsOf(read.get("ids"))),
    containers: ascending(stringsOf(read.get("containers"))),
    facets: facetsIn(read.get("facets")),
    terms: ascending(stringsOf(read.get("terms"))),
    dimensions: countOf(read.get("dimensions"), mostDimensions),
    vectorCount: countOf(read.get("vectorCount"), longestLength),
  };
}

function stringsOf(value: unknown): string[] {
  if (!Array.isArray(value)) throw damaged("its header lacks a list");
  return value.map((item: unknown) => {
    if (typeof item !== "string") throw damaged("a list of its header holds more than strings");
    return item;
  });
}

function ascending(list: string[]): string[] {
  for (let at = 1; at < list.length; at += 1) {
    if ((list[at - 1] ?? "") >= (list[at] ?? ""))
      throw damaged("a list of its header is out of order");
  }
  return list;
}

function facetsIn(value: unknown): Facet[] {
  if (!Array.isArray(value)) throw damaged("its header lacks the facets");
  const facets = value.map((pair: unknown): Facet => {
    const [name, text, ...more] = stringsOf(pair);
    if (name === undefined || text === undefined || more.length > 0)
      throw damaged("a facet is no pair");
    return [name, text];
  });
  facets.forEach((facet, at) => {
    if (at > 0 && compareFacets(facets[at - 1] ?? facet, facet) >= 0)
      throw damaged("its facets are out of order");
  });
  return facets;
}

function countOf(value: unknown, most: number): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > most)
    throw damaged("a count is none");
  return value;
}

function readDocuments(
  reader: ByteReader,
  state: IndexState,
  { ids, containers, facets }: SavedHeader,
): void {
  reserveLengths(state.text, ids.length);
  const lengths = new Uint32Array(fieldCount);
  for (const id of ids) {
    const container = containers[reader.readCount(containers.length - 1)] ?? "";
    const slot = takeSlot(state, id, container);
    for (let field = 0; field < fieldCount; field += 1)
      lengths[field] = reader.readCount(longestLength);
    setLengths(state.text, slot, lengths);
    const size = reader.readCount(facets.length);
    const own = Array.from(
      { length: size },
      () => facets[reader.readCount(facets.length - 1)] ?? (["", ""] as const),
    );
    addFacets(state.facets, slot, own);
  }
  state.text.documents = ids.length;
}

function readTerms(reader: ByteReader, state: IndexState, { ids, terms }: SavedHeader): void {
  const counts = new Uint32Array(ids.length);
  for (const term of terms) {
    const size = reader.readCount(ids.length * fieldCount);
    if (size === 0) throw damaged("a term occurs nowhere");
    const postings = readPostings(reader, size, ids.length);
    appendTerm(state.text, term, postings);
    for (let at = 0; at < size; at += 1) {
      const slot = postings.slots[at] ?? 0;
      if (at > 0 && postings.slots[at - 1] === slot) continue;
      counts[slot] = (counts[slot] ?? 0) + 1;
      postings.documents += 1;
    }
  }
  listTermsOfSlots(state.text, counts);
}

function readPostings(reader: ByteReader, size: number, documents: number): TermPostings {
  const postings = createTermPostings(size);
  let slot = 0;
  let before = -1;
  for (let at = 0; at < size; at += 1) {
    slot += reader.readCount(documents - 1 - slot);
    const occurrence = reader.readCount(occurrenceLimit - 1);
    const entry = slot * occurrenceLimit + occurrence;
    const isKnownField =
      occurrence < fieldCount * occurrenceStep && occurrence % occurrenceStep > 0;
    if (entry <= before || !isKnownField) throw damaged("an occurrence is out of order");
    before = entry;
    postings.slots[at] = slot;
    postings.occurrences[at] = occurrence;
  }
  postings.size = size;
  return postings;
}

/** Each slot's terms, ascending, as windows on one list. */
function listTermsOfSlots(text: TextPostings, counts: Uint32Array): void {
  const all = new Int32Array(counts.reduce((sum, count) => sum + count, 0));
  const ends = new Uint32Array(counts.length);
  let from = 0;
  counts.forEach((count, slot) => {
    text.slotTerms[slot] = all.subarray(from, from + count);
    ends[slot] = from;
    from += count;
  });
  text.postings.forEach(({ slots, size }, id) => {
    for (let at = 0; at < size; at += 1) {
      const slot = slots[at] ?? 0;
      if (at > 0 && slots[at - 1] === slot) continue;
      const end = ends[slot] ?? 0;
      all[end] = id;
      ends[slot] = end + 1;
    }
  });
}

function readVectors(reader: ByteReader, state: IndexState, header: SavedHeader): void {
  const { dimensions, vectorCount, ids, precision } = header;
  if (vectorCount > 0 && dimensions === 0) throw damaged("its vectors have no dimensions");
  state.vectors.dimensions = vectorCount > 0 ? dimensions : 0;
  let before = -1;
  for (let at = 0; at < vectorCount; at += 1) {
    const slot = reader.readCount(ids.length - 1);
    if (slot <= before) throw damaged("its vectors are out of order");
    before = slot;
    const scale = reader.readFloat32();
    const values =
      precision === "int8"
        ? Int8Array.from(reader.readBytes(dimensions))
        : Float32Array.from({ length: dimensions }, () => reader.readFloat32());
    if (!Number.isFinite(scale) || !values.every(Number.isFinite))
      throw damaged("a vector is not finite");
    addRow(state.vectors, slot, { values, scale });
  }
}
