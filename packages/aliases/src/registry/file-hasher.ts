import { closeSync, constants, openSync, readFileSync } from "node:fs";

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

/** Hashes a regular file. Throws errors of the operating system. */
export function hashFile(realPath: string): ContentHash {
  return hashContent(readBytes(realPath));
}
