import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { ResourceRecord } from "@ccl/catalog";
import type { SnapshotRecord } from "@ccl/catalog/snapshot";
import { sha256Hex } from "@ccl/core";
import { writeFileDurable } from "@ccl/core/node";

import { makeCacheFolder } from "./cache-folder.ts";

/** A file that was read. */
export interface KnownFile {
  /** Empty where the file must be read again to know that it is the same. */
  stamp: string;
  sha256: string;
}

/** What stood in a catalog's folder when it was last read. */
export interface FolderContent {
  /** By path. */
  files: ReadonlyMap<string, KnownFile>;
  /** By id, in the order of code units. */
  records: readonly SnapshotRecord[];
}

/** Counts up when records are read in another way. */
const FORMAT = 1;
const RECORDS = "records.json";
const INDEX = "index.bin";

/** Undefined where nothing was kept, or not by this version. */
export function loadContent(folder: string): FolderContent | undefined {
  try {
    const text = readFileSync(join(folder, ".cache", RECORDS), "utf8");
    const end = text.indexOf("\n");
    const body = text.slice(end + 1);
    if (text.slice(0, end) !== headOf(body)) return undefined;
    const kept: { files: [string, string, string][]; hashes: string[]; records: ResourceRecord[] } =
      JSON.parse(body);
    const files = kept.files.map(([path, stamp, sha256]): [string, KnownFile] => [
      path,
      { stamp, sha256 },
    ]);
    const records = kept.records.map((record, at) => ({ record, hash: kept.hashes[at] ?? "" }));
    return { files: new Map(files), records };
  } catch {
    return undefined;
  }
}

/** Keeps what was read for the next process. */
export async function saveContent(
  folder: string,
  { files, records }: FolderContent,
): Promise<void> {
  const body = JSON.stringify({
    files: [...files].map(([path, { stamp, sha256 }]) => [path, stamp, sha256]),
    hashes: records.map(({ hash }) => hash),
    records: records.map(({ record }) => record),
  });
  await saveQuietly(folder, RECORDS, `${headOf(body)}\n${body}`);
}

/** What `saveIndex` kept. */
export async function loadIndex(folder: string): Promise<Uint8Array | undefined> {
  try {
    return readFileSync(join(folder, ".cache", INDEX));
  } catch {
    return undefined;
  }
}

/** Keeps a search index. */
export async function saveIndex(folder: string, bytes: Uint8Array): Promise<void> {
  await saveQuietly(folder, INDEX, bytes);
}

/** With a digest: a record with a wrong letter would pass for another one. */
function headOf(body: string): string {
  return `${FORMAT} ${sha256Hex(body)}`;
}

/** A cache only saves time: where it cannot be written, everything else goes on. */
async function saveQuietly(
  folder: string,
  name: string,
  content: string | Uint8Array,
): Promise<void> {
  try {
    await writeFileDurable(join(makeCacheFolder(folder), name), content, { durability: "off" });
  } catch {
    // Read-only checkouts and full disks.
  }
}
