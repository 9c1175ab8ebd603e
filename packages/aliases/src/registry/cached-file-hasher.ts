import { hash } from "node:crypto";

import { systemClock } from "@ccl/core";

import type { DerivedCache } from "./alias-registry.ts";
import type { TreeFile } from "./locate-file.ts";
import { hashFile } from "./file-hasher.ts";
import type { ContentHash } from "./hash-content.ts";

/**
 * A change within the clock's resolution leaves a file's times unchanged. A file is therefore
 * cached only if its times are older than this when it is read, so that any later change also
 * changes its times. git calls such entries racy (see Documentation/technical/racy-git). The
 * coarsest resolution in use is two seconds, on FAT.
 */
const RACY_MS = 3000;
const KIND = "stat";

/** Returns a file's content hash. Throws operating system errors. */
export type FileHasher = (file: TreeFile) => ContentHash;

/**
 * Creates a hasher that reads a file only if its path, times, size and inode are not cached. In the
 * cache, a `b` after the hash marks a binary file.
 */
export function createFileHasher(cache: DerivedCache): FileHasher {
  return ({ path, realPath, stamp }) => {
    const { mtimeMs, ctimeMs, sizeBytes, inode } = stamp;
    const key = hash("sha256", `${mtimeMs} ${ctimeMs} ${sizeBytes} ${inode} ${path}`);
    const known = cache.get(KIND, key);
    if (known !== undefined) return { sha256: known.slice(0, 64), isBinary: known.length > 64 };
    const oldestMs = systemClock.now() - RACY_MS;
    const content = hashFile(realPath);
    if (Math.max(mtimeMs, ctimeMs) < oldestMs)
      cache.set(KIND, key, content.isBinary ? `${content.sha256}b` : content.sha256);
    return content;
  };
}
