import { readFileSync } from "node:fs";

import { systemClock } from "@ccl/core";

import type { FileStamp, TreeFile } from "./locate-file.ts";
import { hashFile } from "./file-hasher.ts";
import type { ContentHash } from "./hash-content.ts";

/** Content hashes of files, taken from what was read before where the file is provably the same. */
export interface StatCache {
  /** Throws what the operating system throws on reading. */
  hash(file: TreeFile): ContentHash;
  /** Whether there is anything to write. */
  readonly isChanged: boolean;
  /** The cache's file, for the paths that were asked for since it was opened and those that still may be. */
  render(isAlive: (path: string) => boolean): string;
}

interface StatRecord {
  stamp: FileStamp;
  content: ContentHash;
}

/**
 * A change within the clock's grain leaves a file's times as they were, so a file is remembered only if its times are
 * older than this when it is read: then any later change gives it other times. (git calls such entries racy; see
 * Documentation/technical/racy-git.) Two seconds is the coarsest grain in use, that of FAT.
 */
const RACY_MS = 3000;
const FORMAT = 1;

/** Reads the cache at `file` when it is first needed; without a file, or when it is damaged, it starts empty. */
export function createStatCache(file: string | undefined): StatCache {
  let loaded: Map<string, StatRecord> | undefined;
  let isChanged = false;
  const records = (): Map<string, StatRecord> => (loaded ??= file === undefined ? new Map() : loadRecords(file));
  return {
    get isChanged() {
      return isChanged;
    },
    hash({ path, realPath, stamp }) {
      const known = records().get(path);
      if (known !== undefined && isSame(known.stamp, stamp)) return known.content;
      const oldestMs = systemClock.now() - RACY_MS;
      const content = hashFile(realPath);
      if (Math.max(stamp.mtimeMs, stamp.ctimeMs) < oldestMs) {
        isChanged = true;
        records().set(path, { stamp, content });
      }
      return content;
    },
    render(isAlive) {
      isChanged = false;
      const rows = [...records()].filter(([path]) => isAlive(path)).map(([path, record]) => rowOf(path, record));
      return `${JSON.stringify({ format: FORMAT, rows })}\n`;
    },
  };
}

function isSame(a: FileStamp, b: FileStamp): boolean {
  return a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.sizeBytes === b.sizeBytes && a.inode === b.inode;
}

type Row = [path: string, mtimeMs: number, ctimeMs: number, sizeBytes: number, inode: number, hash: string];

/** Binary files have a `b` after their hash. */
function rowOf(path: string, { stamp, content }: StatRecord): Row {
  const hash = content.isBinary ? `${content.sha256}b` : content.sha256;
  return [path, stamp.mtimeMs, stamp.ctimeMs, stamp.sizeBytes, stamp.inode, hash];
}

function loadRecords(file: string): Map<string, StatRecord> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    const isOurs = typeof value === "object" && value !== null && "format" in value && value.format === FORMAT;
    const rows: unknown = isOurs && "rows" in value ? value.rows : [];
    return new Map((Array.isArray(rows) ? rows : []).filter((row) => isRow(row)).map((row) => [row[0], recordOf(row)]));
  } catch {
    return new Map();
  }
}

function isRow(row: unknown): row is Row {
  if (!Array.isArray(row) || row.length !== 6 || typeof row[0] !== "string") return false;
  const hasNumbers = row.slice(1, 5).every((field) => typeof field === "number");
  return hasNumbers && typeof row[5] === "string" && /^[0-9a-f]{64}b?$/.test(row[5]);
}

function recordOf([, mtimeMs, ctimeMs, sizeBytes, inode, hash]: Row): StatRecord {
  const content = { sha256: hash.slice(0, 64), isBinary: hash.length > 64 };
  return { stamp: { mtimeMs, ctimeMs, sizeBytes, inode }, content };
}
