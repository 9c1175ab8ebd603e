import { sha256Hex } from "@ccl/core";

/** The index of a snapshot, and the content of what it holds. */
export interface SavedIndex {
  /** By id. */
  hashes: ReadonlyMap<string, string>;
  /** As an index in memory saves itself. */
  index: Uint8Array;
}

/** Counts up when what is indexed of a record changes, and with the form of the file. */
const format = 1;
const lineFeed = 10;

/** A line of JSON with a hash before it, and the index, which has a hash of its own. */
export function writeSaved({ hashes, index }: SavedIndex): Uint8Array {
  const body = JSON.stringify({ format, hashes: [...hashes] });
  const head = new TextEncoder().encode(`${sha256Hex(body)} ${body}\n`);
  const bytes = new Uint8Array(head.length + index.length);
  bytes.set(head);
  bytes.set(index, head.length);
  return bytes;
}

/** Undefined for bytes that are not what was written, or were written in another form. */
export function readSaved(bytes: Uint8Array): SavedIndex | undefined {
  const end = bytes.indexOf(lineFeed);
  if (end < 0) return undefined;
  const line = new TextDecoder().decode(bytes.subarray(0, end));
  const body = line.slice(line.indexOf(" ") + 1);
  if (!line.startsWith(`${sha256Hex(body)} `)) return undefined;
  const parsed: { format: number; hashes: [string, string][] } = JSON.parse(body);
  return parsed.format === format
    ? { hashes: new Map(parsed.hashes), index: bytes.subarray(end + 1) }
    : undefined;
}
