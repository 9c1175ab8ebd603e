import { hash } from "node:crypto";
import { readFileSync } from "node:fs";

import { systemClock } from "@ccl/core";

import type { FileStamp, TreeFile } from "./locate-file.ts";
import { hashFile } from "./file-hasher.ts";
import type { ContentHash } from "./hash-content.ts";

/** Content hashes of files. Reuses an earlier hash if the file is provably unchanged. */
export interface StatCache {
  /** Returns the content hash of a file. Throws errors of the operating system. */
  hash(file: TreeFile): ContentHash;
  /** True if there is anything to write. */
  readonly isChanged: boolean;
  /** The text of the cache file, without paths that are no longer in use. */
  render(isAlive: (path: string) => boolean): string;
}

/** A row of the cache file. Binary files have a `b` after their hash. */
type Row = [
  path: string,
  mtimeMs: number,
  ctimeMs: number,
  sizeBytes: number,
  inode: number,
  hash: string,
];

/**
 * A change within the clock's resolution leaves a file's times unchanged. So a file is cached only
 * if its times are older than this when it is read, because any later change then gives it
 * different times. git calls such entries racy (see Documentation/technical/racy-git). Two seconds
 * is the coarsest resolution in use, that of FAT.
 */
const RACY_MS = 3000;
const FORMAT = 3;
const END = "}\n";

/** Reads the cache at `file` on first use. A damaged file counts as empty. */
export function createStatCache(file: string | undefined): StatCache {
  let loaded: Map<string, Row> | undefined;
  let isChanged = false;
  const rows = (): Map<string, Row> => (loaded ??= file === undefined ? new Map() : loadRows(file));
  return {
    get isChanged() {
      return isChanged;
    },
    hash({ path, realPath, stamp }) {
      const row = rows().get(path);
      if (row !== undefined && matchesStamp(row, stamp))
        return { sha256: row[5].slice(0, 64), isBinary: row[5].length > 64 };
      const oldestMs = systemClock.now() - RACY_MS;
      const content = hashFile(realPath);
      if (Math.max(stamp.mtimeMs, stamp.ctimeMs) < oldestMs) {
        isChanged = true;
        rows().set(path, rowOf(path, stamp, content));
      }
      return content;
    },
    render(isAlive) {
      isChanged = false;
      return fileText(JSON.stringify([...rows().values()].filter(([path]) => isAlive(path))));
    },
  };
}

function rowOf(path: string, stamp: FileStamp, { sha256, isBinary }: ContentHash): Row {
  const { mtimeMs, ctimeMs, sizeBytes, inode } = stamp;
  return [path, mtimeMs, ctimeMs, sizeBytes, inode, isBinary ? `${sha256}b` : sha256];
}

function matchesStamp([, mtimeMs, ctimeMs, sizeBytes, inode]: Row, stamp: FileStamp): boolean {
  return (
    mtimeMs === stamp.mtimeMs &&
    ctimeMs === stamp.ctimeMs &&
    sizeBytes === stamp.sizeBytes &&
    inode === stamp.inode
  );
}

function loadRows(file: string): Map<string, Row> {
  try {
    const text = readFileSync(file, "utf8");
    const rowsText = text.slice(fileText("").length - END.length, -END.length);
    if (text !== fileText(rowsText)) return new Map();
    const rows: Row[] = JSON.parse(rowsText);
    return new Map(rows.map((row) => [row[0], row]));
  } catch {
    return new Map();
  }
}

/**
 * The text of the cache file. It has a digest of the rows, because a hash with a wrong digit would
 * pass for other content.
 */
function fileText(rowsText: string): string {
  return `{"format":${FORMAT},"sha256":"${hash("sha256", rowsText)}","rows":${rowsText}${END}`;
}
