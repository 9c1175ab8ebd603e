import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";

import { hashContent, type ContentHash } from "./hash-content.ts";

/** Do not follow a link that replaced the file, and do not block on a pipe. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a whole regular file. Throws errors of the operating system. */
export function readBytes(realPath: string): Buffer {
  const descriptor = openSync(realPath, OPEN_FLAGS);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Shared by all files, since a buffer for each of 100,000 files costs 300 MB before it is collected. */
const shared = Buffer.alloc(65_536);

/** Hashes a regular file. Throws errors of the operating system. */
export function hashFile(realPath: string): ContentHash {
  const descriptor = openSync(realPath, OPEN_FLAGS);
  try {
    const length = readSync(descriptor, shared, 0, shared.length, 0);
    const room = shared.length - length;
    const isWhole = room > 0 && readSync(descriptor, shared, length, room, length) === 0;
    return hashContent(isWhole ? shared.subarray(0, length) : readFileSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}
