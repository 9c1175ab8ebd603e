import { hash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The format's name, the writer's id, and the digest of everything after it. */
const HEADER_BYTES = "ccl-derived-2 ".length + 65 + 65;
const LINE_FEED = 10;
/** A key and the byte length of the value, which follows on its own lines. */
const ENTRY = /^([0-9a-f]{64}) (\d{1,15})$/;
const LONGEST_ENTRY_LINE = 64 + 1 + 15 + 1;

/**
 * Reads the encoded entries of a cache file by key. A file that is missing, damaged or written by
 * other code has none.
 */
export function readDerivedFile(file: string, writerId: string): Map<string, Buffer> {
  const bytes = readBytes(file);
  return (isIntact(bytes, writerId) && entriesIn(bytes)) || new Map<string, Buffer>();
}

/** Encodes one entry. `sha256` must be 64 lower-case hex digits. A lone surrogate becomes U+FFFD. */
export function encodeEntry(sha256: string, value: string): Buffer {
  return Buffer.from(`${sha256} ${Buffer.byteLength(value)}\n${value}\n`);
}

/** The value of an encoded entry. */
export function decodeEntry(entry: Buffer): string {
  return entry.toString("utf8", entry.indexOf(LINE_FEED) + 1, entry.length - 1);
}

/** Renders a file of entries. `writerId` has 64 ASCII characters. */
export function renderDerivedFile(entries: readonly Uint8Array[], writerId: string): Uint8Array {
  const body = Buffer.concat(entries);
  return Buffer.concat([Buffer.from(headerOf(body, writerId)), body]);
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

/**
 * Verifies the digest over every byte, at some 2 GB a second. A damaged value would otherwise
 * appear in a pack as the file's own text.
 */
function isIntact(bytes: Buffer, writerId: string): boolean {
  return (
    bytes.toString("latin1", 0, HEADER_BYTES) === headerOf(bytes.subarray(HEADER_BYTES), writerId)
  );
}

function headerOf(body: Buffer, writerId: string): string {
  return `ccl-derived-2 ${writerId} ${hash("sha256", body)}\n`;
}

/** The encoded entries by hash. Undefined if they do not fill the file without gaps. */
function entriesIn(bytes: Buffer): Map<string, Buffer> | undefined {
  const entries = new Map<string, Buffer>();
  let start = HEADER_BYTES;
  while (start < bytes.length) {
    const line = bytes.toString("latin1", start, start + LONGEST_ENTRY_LINE);
    const entry = ENTRY.exec(line.slice(0, Math.max(0, line.indexOf("\n"))));
    if (entry === null) return undefined;
    const [head, sha256 = "", length] = entry;
    const end = start + head.length + 1 + Number(length) + 1;
    if (bytes[end - 1] !== LINE_FEED) return undefined;
    entries.set(sha256, bytes.subarray(start, end));
    start = end;
  }
  return entries;
}
