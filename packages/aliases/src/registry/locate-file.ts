import { lstatSync, realpathSync, type Stats } from "node:fs";
import { join, sep } from "node:path";

import { systemCode } from "@ccl/core/node";

/** A regular file inside the root. */
export interface TreeFile {
  /** Relative to the root, with forward slashes. */
  path: string;
  /** Absolute, with links resolved. */
  realPath: string;
  stamp: FileStamp;
}

/**
 * Metadata of a file. The same stamp means the same content, except in the case that `RACY_MS`
 * explains.
 */
export interface FileStamp {
  mtimeMs: number;
  ctimeMs: number;
  sizeBytes: number;
  inode: number;
}

/** Why a path is not a file of the tree. */
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

/** Copies the few numbers that are needed, because `Stats` objects are large. */
export function stampOf(stats: Stats): FileStamp {
  return {
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
    sizeBytes: stats.size,
    inode: stats.ino,
  };
}

/** True for a path below the root. Both paths are absolute, with links resolved. */
export function isInside(root: string, realPath: string): boolean {
  return realPath.startsWith(root.endsWith(sep) ? root : root + sep);
}
