import { readBytes } from "./file-hasher.ts";
import { rawSha8 } from "./hash-content.ts";
import type { NoFile, TreeFile } from "./locate-file.ts";
import type { RegistryRecord } from "./registry-file.ts";

/** The state of a record compared with the disk, with the hash of the current content. */
export type RecordState =
  | { status: "ok" | "changed"; sha256: string }
  | { status: "missing" | "unreachable" };

/** Compares a record with the file at its path. "unreachable": the file cannot be read or is outside the root. */
export function compareRecord(
  record: RegistryRecord,
  file: TreeFile | NoFile,
  hashOf: (file: TreeFile) => string,
): RecordState {
  if (file === "missing" || file === "not_a_file") return { status: "missing" };
  if (typeof file === "string") return { status: "unreachable" };
  try {
    const sha256 = hashOf(file);
    return { status: isRecorded(record, sha256, file) ? "ok" : "changed", sha256 };
  } catch {
    return { status: "unreachable" };
  }
}

/** True if the record describes this content. Its 8 digits may be those of the bytes with CRLF. */
function isRecorded(record: RegistryRecord, sha256: string, file: TreeFile): boolean {
  if (record.sha256 !== undefined) return record.sha256 === sha256;
  return sha256.startsWith(record.sha8) || rawSha8(readBytes(file.realPath)) === record.sha8;
}
