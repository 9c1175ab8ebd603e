import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";

import { hashContent, type ContentHash } from "./hash-content.ts";

/** Prevents following a link that has replaced the file, and blocking on a pipe. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a whole regular file. Throws operating system errors. */
export function readBytes(realPath: string): Buffer {
  const descriptor = openSync(realPath, OPEN_FLAGS);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Shared by all files, because separate buffers for 100,000 files take 300 MB before they are collected. */
const shared = Buffer.alloc(65_536);

/** Hashes a regular file. Throws operating system errors. */
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
