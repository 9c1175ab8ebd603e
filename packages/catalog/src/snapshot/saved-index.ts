import { sha256Hex } from "@ccl/core";

/** The index of a snapshot, and the content of what it holds. */
export interface SavedIndex {
  /** By id; undefined where the head is the one that is expected. */
  hashes: ReadonlyMap<string, string> | undefined;
  /** As an index in memory saves itself. */
  index: Uint8Array;
}

/** Counts up when what is indexed of a record changes, and with the form of the file. */
const format = 1;
const lineFeed = 10;

/** What a saved index says of its records: by id, the hashes of their content. */
export function headOf(hashes: readonly (readonly [id: string, hash: string])[]): string {
  return JSON.stringify({ format, hashes });
}

/** A line of the head with a hash before it, and the index, which has a hash of its own. */
export function writeSaved(head: string, index: Uint8Array): Uint8Array {
  const line = new TextEncoder().encode(`${sha256Hex(head)} ${head}\n`);
  const bytes = new Uint8Array(line.length + index.length);
  bytes.set(line);
  bytes.set(index, line.length);
  return bytes;
}

/** Undefined for bytes that are not what was written, or were written in another form. A head that is expected is not read. */
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
