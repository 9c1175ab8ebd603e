import { createHash } from "node:crypto";
import { closeSync, constants, openSync, readSync } from "node:fs";

import type { TreeFile } from "./locate-file.ts";
import { hashContent, isBinary, withLineFeeds, type ContentHash } from "./hash-content.ts";

/** Do not follow a link that replaced the file, and do not block on a pipe. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const CARRIAGE_RETURN = 13;

/**
 * One buffer for all files, which works because hashing is synchronous. Allocating one per file
 * costs as much as the hash itself.
 */
const chunkBuffer: Buffer = Buffer.allocUnsafeSlow(1024 * 1024);

/** Reads a whole regular file. Throws errors of the operating system. */
export function readBytes({ realPath, stamp }: TreeFile): Buffer {
  return withOpenFile(realPath, (descriptor) => {
    // One byte more than expected, so that one call detects the end of the file.
    let buffer = Buffer.allocUnsafe(stamp.sizeBytes + 1);
    let length = fill(descriptor, buffer, 0);
    while (length === buffer.length) {
      buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
      length = fill(descriptor, buffer, length);
    }
    return buffer.subarray(0, length);
  });
}

/** Hashes a regular file in bounded memory. Throws errors of the operating system. */
export function hashFile(realPath: string): ContentHash {
  return withOpenFile(realPath, (descriptor) => {
    const length = fill(descriptor, chunkBuffer, 0);
    if (length < chunkBuffer.length) return hashContent(chunkBuffer.subarray(0, length));
    return hashRest(descriptor, isBinary(chunkBuffer));
  });
}

/** Hashes a file whose first chunk fills the buffer. */
function hashRest(descriptor: number, binary: boolean): ContentHash {
  const digest = createHash("sha256");
  let length = chunkBuffer.length;
  while (length === chunkBuffer.length) {
    // A CR at the end of a chunk may be the first half of a CRLF.
    const heldBytes = !binary && chunkBuffer[length - 1] === CARRIAGE_RETURN ? 1 : 0;
    const chunk = chunkBuffer.subarray(0, length - heldBytes);
    digest.update(binary ? chunk : withLineFeeds(chunk));
    chunkBuffer[0] = CARRIAGE_RETURN;
    length = fill(descriptor, chunkBuffer, heldBytes);
  }
  const end = chunkBuffer.subarray(0, length);
  digest.update(binary ? end : withLineFeeds(end));
  return { sha256: digest.digest("hex"), isBinary: binary };
}

function withOpenFile<T>(realPath: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(realPath, OPEN_FLAGS);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Fills the buffer from `offset` until it is full or the file ends. Returns the length of its
 * content.
 */
function fill(descriptor: number, buffer: Buffer, offset: number): number {
  let length = offset;
  while (length < buffer.length) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (count === 0) break;
    length += count;
  }
  return length;
}
