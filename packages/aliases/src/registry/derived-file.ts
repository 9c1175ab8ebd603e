import { hash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The values of a cache file, decoded on demand. */
export interface DerivedFile {
  keys(): Iterable<string>;
  get(sha256: string): string | undefined;
  /** The encoded entry, for writing it again. Empty for an unknown key. */
  bytesOf(sha256: string): Uint8Array;
}

/** The format's name, the writer's id, and the digest of everything after it. */
const HEADER_BYTES = "ccl-derived-2 ".length + 65 + 65;
const LINE_FEED = 10;
/** A key, a mark and the byte length of the value, which follows on its own lines. */
const ENTRY = /^([0-9a-f]{64})([ j])(\d{1,15})$/;
const LONGEST_ENTRY_LINE = 64 + 1 + 15 + 1;

interface Place {
  start: number;
  valueStart: number;
  end: number;
  isJson: boolean;
}

/** Reads a cache file. It has no entries if it is missing, damaged or written by other code. */
export function readDerivedFile(file: string, writerId: string): DerivedFile {
  const bytes = readBytes(file);
  const places = (isIntact(bytes, writerId) && placesIn(bytes)) || new Map<string, Place>();
  return {
    keys: () => places.keys(),
    get(sha256) {
      const place = places.get(sha256);
      if (place === undefined) return undefined;
      const text = bytes.toString("utf8", place.valueStart, place.end - 1);
      return place.isJson ? decodeJson(text) : text;
    },
    bytesOf(sha256) {
      const place = places.get(sha256);
      return bytes.subarray(place?.start ?? 0, place?.end ?? 0);
    },
  };
}

/** Encodes one entry. `sha256` must be 64 lower-case hex digits. */
export function encodeEntry(sha256: string, value: string): Uint8Array {
  // UTF-8 cannot encode a lone surrogate, so such a value is stored as JSON, which escapes it.
  const isJson = /\p{Surrogate}/u.test(value);
  const text = isJson ? JSON.stringify(value) : value;
  return Buffer.from(`${sha256}${isJson ? "j" : " "}${Buffer.byteLength(text)}\n${text}\n`);
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

/** Checks every byte, at some 2 GB a second, because a damaged value would appear in a pack as the file's own text. */
function isIntact(bytes: Buffer, writerId: string): boolean {
  return (
    bytes.toString("latin1", 0, HEADER_BYTES) === headerOf(bytes.subarray(HEADER_BYTES), writerId)
  );
}

function headerOf(body: Buffer, writerId: string): string {
  return `ccl-derived-2 ${writerId} ${hash("sha256", body)}\n`;
}

/** Undefined if the entries do not fill the file without gaps. */
function placesIn(bytes: Buffer): Map<string, Place> | undefined {
  const places = new Map<string, Place>();
  let start = HEADER_BYTES;
  while (start < bytes.length) {
    const line = bytes.toString("latin1", start, start + LONGEST_ENTRY_LINE);
    const entry = ENTRY.exec(line.slice(0, Math.max(0, line.indexOf("\n"))));
    if (entry === null) return undefined;
    const [head, sha256 = "", mark, length] = entry;
    const valueStart = start + head.length + 1;
    const end = valueStart + Number(length) + 1;
    if (bytes[end - 1] !== LINE_FEED) return undefined;
    places.set(sha256, { start, valueStart, end, isJson: mark === "j" });
    start = end;
  }
  return places;
}

function decodeJson(text: string): string | undefined {
  const value: unknown = JSON.parse(text);
  return typeof value === "string" ? value : undefined;
}
