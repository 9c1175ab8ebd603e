import { occurrenceStep } from "@ccl/search/engine";

import { damagedIndex } from "../search/search-errors.ts";
import { searchFields } from "../search/searchable-fields.ts";
import { blockSize } from "./index-tables.ts";

/**
 * Where a term occurs in one document: bytes of counts of 7 bits a byte, the lowest first: the document's place in its
 * block, the number of fields, and for each field `frequency * fieldCount + field`.
 */
export type PostingEntry = readonly number[];

const fieldCount = searchFields.length;

/** Entries of a block by the document's place. */
export type PostingBlock = Map<number, PostingEntry>;

/** The entry of a document; `occurrences` as an analysed document has them. */
export function encodeEntry(place: number, occurrences: readonly number[]): PostingEntry {
  const bytes: number[] = [];
  pushCount(bytes, place);
  pushCount(bytes, occurrences.length);
  for (const occurrence of occurrences) {
    const field = Math.floor(occurrence / occurrenceStep);
    pushCount(bytes, (occurrence % occurrenceStep) * fieldCount + field);
  }
  return bytes;
}

/** The bytes of a block, by place. */
export function encodeBlock(block: PostingBlock): Uint8Array {
  const entries = [...block].sort(([left], [right]) => left - right);
  const bytes = new Uint8Array(entries.reduce((size, [, entry]) => size + entry.length, 0));
  let at = 0;
  for (const [, entry] of entries) {
    bytes.set(entry, at);
    at += entry.length;
  }
  return bytes;
}

/** The entries of bytes. @throws CatalogError `store_damaged` */
export function decodeBlock(bytes: unknown): PostingBlock {
  const block: PostingBlock = new Map();
  let start = 0;
  eachEntry(bytes, (place, end) => {
    if (bytes instanceof Uint8Array) block.set(place, [...bytes.subarray(start, end)]);
    start = end;
  });
  return block;
}

/** Receives a document's place and where its entry ends, after all of the entry's fields. */
type OnEntry = (place: number, end: number) => void;
/** Receives the fields of an entry that follows. */
type OnField = (place: number, field: { field: number; frequency: number }) => void;

/** Reads all entries of a block. @throws CatalogError `store_damaged` */
export function eachEntry(bytes: unknown, onEntry: OnEntry | undefined, onField?: OnField): void {
  if (!(bytes instanceof Uint8Array)) throw damagedIndex("the entries of a term are no bytes");
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
      const byte = bytes[at];
      if (byte === undefined) throw damagedIndex("the entries of a term end too early");
      at += 1;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
    throw damagedIndex("a count in the entries of a term has no end");
  };
  let before = -1;
  while (at < bytes.length) {
    const place = next();
    const fields = next();
    if (place <= before || place >= blockSize || fields > fieldCount)
      throw damagedIndex("the entries of a term make no sense");
    before = place;
    for (let count = 0; count < fields; count += 1) {
      const code = next();
      const field = code % fieldCount;
      onField?.(place, { field, frequency: (code - field) / fieldCount });
    }
    onEntry?.(place, at);
  }
}

function pushCount(bytes: number[], count: number): void {
  let rest = count;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
