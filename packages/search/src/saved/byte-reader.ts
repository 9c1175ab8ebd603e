import { SearchError } from "../search-error.ts";

/**
 * Reads bytes written by a `ByteWriter`. Throws `index_damaged` when reading past the end or if a
 * number is out of range.
 */
export interface ByteReader {
  /** Reads a whole number up to `max`. */
  readCount(max: number): number;
  /** Returns the next bytes without copying them. */
  readBytes(size: number): Uint8Array;
  readFloat32(): number;
  isAtEnd(): boolean;
}

/** Creates the error for a saved index whose bytes have changed. */
export function damaged(reason: string, cause?: unknown): SearchError {
  return new SearchError(
    "index_damaged",
    `The saved index is damaged: ${reason}. Build it again from the documents.`,
    { cause },
  );
}

/** Creates a reader over the bytes. */
export function createByteReader(bytes: Uint8Array): ByteReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (size: number): number => {
    if (size > bytes.length - at) throw damaged("it ends too early");
    const start = at;
    at += size;
    return start;
  };
  return {
    readCount(max) {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const byte = bytes[take(1)] ?? 0;
        value += (byte % 128) * factor;
        if (value > max) throw damaged(`a number is ${value} where at most ${max} makes sense`);
        if (byte < 128) return value;
      }
    },
    readBytes(size) {
      const start = take(size);
      return bytes.subarray(start, start + size);
    },
    readFloat32: () => view.getFloat32(take(4), true),
    isAtEnd: () => at === bytes.length,
  };
}
