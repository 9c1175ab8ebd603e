import { lstatSync, realpathSync, type Stats } from "node:fs";
import { join, sep } from "node:path";

import { systemCode } from "@ccl/core/node";

/** A regular file inside the root. */
export interface TreeFile {
  /** Relative to the root. Uses forward slashes. */
  path: string;
  /** Absolute path, with links resolved. */
  realPath: string;
  stamp: FileStamp;
}

/**
 * A file's metadata. The same stamp means the same content, except in the case explained at
 * `RACY_MS`.
 */
interface FileStamp {
  mtimeMs: number;
  ctimeMs: number;
  sizeBytes: number;
  inode: number;
}

/** Why a path does not refer to a file in the tree. */
export type NoFile = "missing" | "unreadable" | "outside_root" | "not_a_file";

/** Resolves a path and its links to a regular file inside the root. */
export function locateFile(root: string, path: string): TreeFile | NoFile {
  try {
    const realPath = realpathSync.native(join(root, path));
    if (!isInside(root, realPath)) return "outside_root";
    const stats = lstatSync(realPath);
    return stats.isFile() ? { path, realPath, stamp: stampOf(stats) } : "not_a_file";
  } catch (error) {
    return /^(?:ENOENT|ENOTDIR|ELOOP)$/.test(systemCode(error) ?? "") ? "missing" : "unreadable";
  }
}

/** Copies only the numbers that are needed, because `Stats` objects are large. */
export function stampOf(stats: Stats): FileStamp {
  return {
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
    sizeBytes: stats.size,
    inode: stats.ino,
  };
}

/** True if the path is below the root. Both paths must be absolute, with links resolved. */
export function isInside(root: string, realPath: string): boolean {
  return realPath.startsWith(root.endsWith(sep) ? root : root + sep);
}
