import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { writeFileDurable } from "@ccl/core/node";

import type { ResourceRecord } from "../record/resource-record.ts";
import type { SnapshotRecord } from "../snapshot/snapshot-index.ts";

/** A file that was read. */
interface KnownFile {
  /** Empty if only the content can show that the file is unchanged. */
  stamp: string;
  sha256: string;
}

/** A catalog's folder as of the last read. */
export interface FolderContent {
  /** By path. */
  files: ReadonlyMap<string, KnownFile>;
  /** By id, sorted by code units. */
  records: readonly SnapshotRecord[];
}

/** Incremented when the way records are read changes. */
const format = 1;
const recordsFile = "records.json";

/** Loads the saved content. Returns undefined if there is none or another version saved it. */
export function loadContent(folder: string): FolderContent | undefined {
  try {
    const text = readFileSync(join(folder, ".cache", recordsFile), "utf8");
    const end = text.indexOf("\n");
    const body = text.slice(end + 1);
    if (text.slice(0, end) !== headOf(body)) return undefined;
    const cache: {
      files: [string, string, string][];
      hashes: string[];
      records: ResourceRecord[];
    } = JSON.parse(body);
    const files = cache.files.map(([path, stamp, sha256]) => [path, { stamp, sha256 }] as const);
    const records = cache.records.map((record, at) => ({ record, hash: cache.hashes[at] ?? "" }));
    return { files: new Map(files), records };
  } catch {
    return undefined;
  }
}

/** Saves the content for the next process. */
export async function saveContent(
  folder: string,
  { files, records }: FolderContent,
): Promise<void> {
  const body = JSON.stringify({
    files: [...files].map(([path, { stamp, sha256 }]) => [path, stamp, sha256]),
    hashes: records.map(({ hash }) => hash),
    records: records.map(({ record }) => record),
  });
  await saveCached(folder, recordsFile, `${headOf(body)}\n${body}`);
}

/**
 * Returns the head of a cache file. It contains a digest, because a record with a flipped bit could look like
 * another valid record.
 */
function headOf(body: string): string {
  return `${format} ${sha256Hex(body)}`;
}

/** Writes a cache file. Ignores errors (read-only checkouts, full disks), because a missing cache only costs time. */
export async function saveCached(
  folder: string,
  name: string,
  content: string | Uint8Array,
): Promise<void> {
  const cache = join(folder, ".cache");
  try {
    if (!existsSync(join(cache, ".gitignore"))) {
      mkdirSync(cache, { recursive: true });
      writeFileSync(join(cache, ".gitignore"), "*\n");
    }
    await writeFileDurable(join(cache, name), content, { durability: "off" });
  } catch {
    // Only the cache is missing.
  }
}
