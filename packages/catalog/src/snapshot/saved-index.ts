import { sha256Hex } from "@ccl/core";

/** The index of a snapshot, with the hashes of the records in it. */
export interface SavedIndex {
  /** Content hashes by id. Undefined if the head is the expected one. */
  hashes: ReadonlyMap<string, string> | undefined;
  /** The index in its own serialized form. */
  index: Uint8Array;
}

/** Incremented when other parts of a record are indexed, or when the file format changes. */
const format = 2;
const lineFeed = 10;

/** Returns the head of a saved index: the content hashes of its records, by id. */
export function headOf(hashes: readonly (readonly [id: string, hash: string])[]): string {
  return JSON.stringify({ format, hashes });
}

/**
 * Writes the head as a line that begins with its hash, then the index, which contains its own hash.
 */
export function writeSaved(head: string, index: Uint8Array): Uint8Array {
  const line = new TextEncoder().encode(`${sha256Hex(head)} ${head}\n`);
  const bytes = new Uint8Array(line.length + index.length);
  bytes.set(line);
  bytes.set(index, line.length);
  return bytes;
}

/**
 * Reads a saved index. Returns undefined if the bytes are damaged or in another format. Does not parse the head if
 * it is the expected one.
 */
export function readSaved(bytes: Uint8Array, expected: string): SavedIndex | undefined {
  const end = bytes.indexOf(lineFeed);
  if (end < 0) return undefined;
  const line = new TextDecoder().decode(bytes.subarray(0, end));
  const head = line.slice(line.indexOf(" ") + 1);
  const index = bytes.subarray(end + 1);
  if (head === expected) return { hashes: undefined, index };
  if (!line.startsWith(`${sha256Hex(head)} `)) return undefined;
  const parsed: { format: number; hashes: [string, string][] } = JSON.parse(head);
  return parsed.format === format ? { hashes: new Map(parsed.hashes), index } : undefined;
}
