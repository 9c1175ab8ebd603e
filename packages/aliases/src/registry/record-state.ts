import { readBytes } from "./file-hasher.ts";
import type { NoFile, TreeFile } from "./locate-file.ts";
import { rawSha8 } from "./hash-content.ts";
import type { RegistryRecord } from "./registry-file.ts";
import type { StatCache } from "./stat-cache.ts";

/** How a record compares with the disk; the hash is that of the content there. */
export type RecordState = { status: "ok" | "changed"; sha256: string } | { status: "missing" };

/** Compares a record with what is at its path. What cannot be read or leads out of the root counts as missing. */
export function compareRecord(record: RegistryRecord, file: TreeFile | NoFile, cache: StatCache): RecordState {
  if (typeof file === "string") return { status: "missing" };
  try {
    const { sha256 } = cache.hash(file);
    return { status: isRecorded(record, sha256, file) ? "ok" : "changed", sha256 };
  } catch {
    return { status: "missing" };
  }
}

/** Whether the content with this hash is what the record stands for; 8 digits may be of the bytes with their CRLF. */
export function isRecorded(record: RegistryRecord, sha256: string, file: TreeFile): boolean {
  if (record.sha256 !== undefined) return record.sha256 === sha256;
  return sha256.startsWith(record.sha8) || rawSha8(readBytes(file)) === record.sha8;
}
