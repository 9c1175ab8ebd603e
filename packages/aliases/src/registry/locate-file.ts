import { lstatSync, realpathSync, type Stats } from "node:fs";
import { join, posix, sep } from "node:path";

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
 * Metadata of a file. The same stamp means the same content, except in the case that `StatCache`
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

/** `locateFile` for many paths. Resolves each folder once. */
export function createLocator(root: string): (path: string) => TreeFile | NoFile {
  const plainFolders = new Map<string, boolean>([["", true]]);
  /** True if the folder's path contains no link, so that it is already the real path. */
  const isPlain = (folder: string): boolean => {
    let plain = plainFolders.get(folder);
    if (plain === undefined) {
      plain = isRealPath(join(root, folder));
      plainFolders.set(folder, plain);
    }
    return plain;
  };
  return (path) => {
    const folder = posix.dirname(path);
    if (!isPlain(folder === "." ? "" : folder)) return locateFile(root, path);
    const realPath = join(root, path);
    const stats = lstatSync(realPath, { throwIfNoEntry: false });
    return stats?.isFile() ? { path, realPath, stamp: stampOf(stats) } : locateFile(root, path);
  };
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

function isRealPath(path: string): boolean {
  try {
    return realpathSync.native(path) === path;
  } catch {
    return false;
  }
}
