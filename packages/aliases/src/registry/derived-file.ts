import { hash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The values of a cache file, decoded when asked for. */
export interface DerivedFile {
  keys(): Iterable<string>;
  get(sha256: string): string | undefined;
  /** The entry as it stands in the file, to be written again; empty for a key that is not there. */
  bytesOf(sha256: string): Uint8Array;
}

/** The name of the format, what derived the values, the digest of all that follows. */
const HEADER_BYTES = "ccl-derived-2 ".length + 65 + 65;
const LINE_FEED = 10;
/** A key, a mark and the number of the value's bytes; the value follows on lines of its own. */
const ENTRY = /^([0-9a-f]{64})([ j])(\d{1,15})$/;
const LONGEST_ENTRY_LINE = 64 + 1 + 15 + 1;

interface Place {
  start: number;
  valueStart: number;
  end: number;
  isJson: boolean;
}

/** Reads a cache file. One that other code wrote, that is not exactly as it was written, or not there, has no entries. */
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

/** One entry in the file's form; `sha256` must be 64 lower-case hex digits. */
export function encodeEntry(sha256: string, value: string): Uint8Array {
  // Half a surrogate pair has no form in UTF-8, so such a value goes as JSON, which escapes it.
  const isJson = /\p{Surrogate}/u.test(value);
  const text = isJson ? JSON.stringify(value) : value;
  return Buffer.from(`${sha256}${isJson ? "j" : " "}${Buffer.byteLength(text)}\n${text}\n`);
}

/** The whole file of entries; `writerId` has 64 characters of ASCII. */
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

/** A damaged value would stand in a pack as if it were the file's own, so every byte is checked: some 2 GB a second. */
function isIntact(bytes: Buffer, writerId: string): boolean {
  return (
    bytes.toString("latin1", 0, HEADER_BYTES) === headerOf(bytes.subarray(HEADER_BYTES), writerId)
  );
}

function headerOf(body: Buffer, writerId: string): string {
  return `ccl-derived-2 ${writerId} ${hash("sha256", body)}\n`;
}

/** Undefined when the entries do not follow one another to the file's end. */
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
