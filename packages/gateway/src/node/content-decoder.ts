import { type Duplex, PassThrough, Transform } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";

import { Decompress } from "fzstd";

/** Creates a decoder for a `content-encoding`. Returns undefined if it is unknown or a list. */
export function createDecoder(encoding: string | undefined, maxBytes: number): Duplex | undefined {
  switch (encoding?.trim().toLowerCase() ?? "identity") {
    case "identity":
      return new PassThrough();
    case "gzip":
    case "x-gzip":
    case "deflate":
      return createUnzip();
    case "br":
      return createBrotliDecompress();
    case "zstd":
      return createZstdDecoder(maxBytes);
    default:
      return undefined;
  }
}

/** Creates a decoder for Node versions before 22.15, which have no built-in one. */
function createZstdDecoder(maxBytes: number): Transform {
  let length = 0;
  const frames = new Decompress((piece) => {
    length += piece.length;
    // A few bytes can expand to gigabytes, all held in memory before the reader receives any.
    if (length > maxBytes) throw new RangeError("The content is too long.");
    decoder.push(piece);
  });
  const push = (piece: Uint8Array, isLast: boolean, done: (error?: Error) => void): void => {
    try {
      frames.push(piece, isLast);
    } catch (error) {
      return done(error instanceof Error ? error : new Error("It is not zstd.", { cause: error }));
    }
    done();
  };
  const decoder = new Transform({
    transform: (piece: Uint8Array, _encoding, done) => push(piece, false, done),
    flush: (done) => push(new Uint8Array(0), true, done),
  });
  return decoder;
}

/** Window size that every zstd decoder is expected to support. */
const usualWindow = 2 ** 23;

/** Decodes a whole body, or returns the reason why it cannot be read. */
export async function decodeBody(
  body: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Uint8Array | "too_large" | "unreadable_encoding"> {
  const decoder = createDecoder(encoding, maxBytes);
  if (decoder === undefined) return "unreadable_encoding";
  if (decoder instanceof PassThrough) return body;
  if (zstdWindow(body) > Math.max(maxBytes, usualWindow)) return "too_large";
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    decoder.end(body);
    for await (const piece of decoder) {
      length += piece.length;
      if (length > maxBytes) return "too_large";
      pieces.push(piece);
    }
  } catch (error) {
    return error instanceof RangeError ? "too_large" : "unreadable_encoding";
  }
  return Buffer.concat(pieces);
}

/**
 * Returns how much memory the decoder allocates for a zstd frame, according to its header (RFC
 * 8878, 3.1.1.1). Returns 0 for other data.
 */
function zstdWindow(body: Uint8Array): number {
  const header = new DataView(new Uint8Array(16).buffer);
  for (const [at, byte] of body.subarray(0, 16).entries()) header.setUint8(at, byte);
  const [descriptor, window] = [header.getUint8(4), header.getUint8(5)];
  if (header.getUint32(0, true) !== 0xfd2fb528) return 0;
  if ((descriptor & 0x20) === 0) return 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8);
  // In a single segment, the window is the content. Its length takes 1, 2, 4 or 8 bytes.
  const size = descriptor >> 6;
  return size < 2
    ? 0
    : size === 2
      ? header.getUint32(5, true)
      : Number(header.getBigUint64(5, true));
}
